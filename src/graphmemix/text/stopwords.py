"""Words that say too little to link anything by; `text` folds them as it folds all words."""

from __future__ import annotations

_ENGLISH = """
about above after again against also although always among another anyone anything around because
been before being below between both cannot could does doing done down during each either enough
even ever every everyone everything first from further give given going gone have having hello
here herself himself however into itself just know last least less like look made make many might
more most much must myself need never next none nothing often once only other otherwise ourselves
over own please quite rather really same seem several shall should since some someone something
soon still such sure take than thank that their theirs them themselves then there therefore these
they thing think this those though through thus today together tomorrow tonight towards under
until upon used using very want well were what when where whether which while whom whose will with
within without would year yesterday your yourself yours
"""
_GERMAN = """
aber alle allem allen aller alles ander andere anderem anderen anderer auch beim bereits bitte
dabei dadurch dafur daher damit dann darauf darum dass dein deine deinen deiner dem denn deren
dessen diese diesem diesen dieser dieses doch dort durch eine einem einen einer eines einige etwa
etwas euch euer eure freundlichen ganz gegen gerne gewesen grusse haben hallo hatte hatten heute
hier hinter ihnen ihre ihrem ihren ihrer immer jede jedem jeden jeder jetzt kann kein keine keinen
konnen konnten liebe lieber mehr mein meine meinem meinen meiner mich mochten morgen muss mussen
nach nachste nicht nichts noch nun oder ohne schon sehr sein seine seinem seinen seiner seit sich
sind solche sollen sollte sondern sowie uber unser unsere unserem unseren unter viel viele vielen
vom von vor wahrend waren warum weil weiter welche wenn werde werden wieder wird wirklich wurde
wurden zum zur zwischen
"""
_FRENCH = """
ainsi alors apres aucun aussi autre avant avec avez avoir avon bien bonjour cela cette ceux chaque
chez comme comment cordialement dans depuis donc dont elle elles encore entre etes etre faire fait
ici jour jusque leur lorsque maintenant mais malgre meme merci moins notre nous parce pendant peut
plus pour pourquoi quand quel quelle quelque sans sera serait seront seulement sont sous suis tous
tout toute toutes tres vers voici votre vous voudrait
"""
_SPANISH = """
ahora algo alguno alguna ante antes aquel aqui bajo cada casi como contra cual cuando cuanto cuyo
desde donde dos ella ello ellos entre eramos esta estado estamos estan estar este esto estas estos
fue fuera fueron gracias haber habia hacer hacia hasta hola hoy luego mas menos mientras mismo
mucho muchos muy nada nosotros nuestra nuestro nunca otro otra para pero poco porque puede pueden
pues quien saludo saludos segun sera siempre sino sobre sola solo somos soy sus suyo tambien tanto
tener tiene tienen toda todo todos tras usted ustedes unos vosotros vuestra vuestro
"""
_ITALIAN = """
abbiamo alcuni alla alle allo altra altre altri altro anche ancora avere aveva ben buongiorno che
chi ciao come con contro cosa cosi cui dagli dalla dalle dallo degli della delle dello dentro dopo
dove dunque ecco ella erano essere fare fino fra fuori gia gli grazie hanno infatti invece loro
meno mentre mio molto negli nella nelle nello noi nostra nostro ogni oggi oppure perche piu poco
prima proprio puo quale quando quanto quella quelle quelli quello questa queste questi questo
quindi saluti sara sempre senza sia siamo siete solo sono sopra sotto stata stato sua sue sul
sulla sulle suo suoi tale tanto tutta tutte tutti tutto una uno vostra vostro
"""
_DUTCH = """
aan alle alleen andere beste bij daar daarom deze dezelfde dit door echter eens eigen enkele geen
gehad geweest graag groet groeten haar hallo hebben hebt heeft hier hoe hun iemand iets jouw
jullie kan kunnen maar meer met mijn misschien moet moeten naar niet niets nog omdat ons onze ook
over reeds sinds straks tegen terwijl toch toen tot tussen uit uw vaak van vanaf veel verder voor
vooral waar waarom wanneer want waren wat weer welke werd werden wie wij wil worden wordt zal zeer
zich zij zijn zonder zou zouden
"""
_PORTUGUESE = """
agora ainda algum alguma alguns antes aquela aquele assim ate atenciosamente boa bom cada como com
contra depois desde dessa desse desta deste dia dela dele ela elas ele eles entre era essa esse
esta estao estar estava este estou foram fosse hoje isso isto mais mas menos mesmo meu minha muito
muita nada nao nessa nesse nesta neste nosso nossa nunca obrigada obrigado ola onde outra outro
para pela pelo pode podem porque pois qual qualquer quando quem sao seja sem sempre sendo ser sera
seu seus sim sobre sou sua suas tambem tem tenho ter teu tinha toda todo todos tudo uma umas voce
voces
"""
_MAIL = """
account address agent attached attachment browser click contact copyright customer dear email
gmail image information inbox info kind link mail mailto message mobile monday tuesday wednesday
thursday friday saturday sunday online order outlook page phone policy privacy receive received
regards reply reserved rights section send sender sent service subject subscribe subscription
support team telephone terms unsubscribe update view visit warm website wishes wrote forwarded
original html http https january february march april june july august september october november
december
"""
_CAPTION = """
appears background behind blue black bright brown camera caption capture captured color colorful
colour dark depicts display displayed displaying dressed face feature featuring foreground front
gray green grey ground group hands hold holding image indoor indoors large left light lying object
orange outdoor outdoors people person photo photograph picture pictured pink placed portrait
posing purple right scene screenshot shape show showing shown shows side sitting small smile
smiling stand standing surface surrounded table text top video view visible walking wall wear
wearing white wide woman women yellow young adult child children girl
"""

STOP_WORDS = (
    _ENGLISH + _GERMAN + _FRENCH + _SPANISH + _ITALIAN + _DUTCH + _PORTUGUESE + _MAIL + _CAPTION
)
"""Function words of seven languages, what every mail says, and what every caption says."""

GENERIC_PLACES = """
airport aeroport aeropuerto aeroporto allee apartment area avenida avenue bahnhof bar bay beach
bridge building cafe calle center central centrale centre centro church city coffee county cour de
dei del della der di die district do dos drive du east eiland el ferry flughafen floor gare garden
gate hall harbor harbour hauptbahnhof haven hill home hospital hostel hotel house ile in island km
la lac lake lane las le les local los mall market mount mountain museum new nord norte north
northern of old on park parking parque piazza place plage playa plaza plein point port praia
province pub quai region republic restaurant river road room rua rue saint san santa school sea
shop south southern square st stadium stadt states station stazione store straat strand strasse
street sud sur terminal the theater theatre tower town union united university upper valley van
via view villa village von way west western zentrum
"""
"""Words in the names of many places; alone they name none."""
