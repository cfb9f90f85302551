"""Words that say too little to link anything by, and those that are names as well as words.

`text` folds them as it folds all words.
"""

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

# English words that are names of people or places as well: in lower case they are only words.
_ORDINARY = """
a about above abroad ace across act after again age ago air all alley also always am amber an and
angel any apartment apple archer are area arms around art as ash assistant at august autumn away
baby back bad baker ball bank banks bar baron basil bath bay beach bean bear beat beauty because
bed bee been before bell best better big bill birch bird bishop black blaze bliss block blossom
blue blush boat bold bond book boom boot boss bot both bottom bow box boy branch brand brandy
bread breeze brick bride bridge bright brook brooks brother brown buck bud buddy bug bunny burn
bus bush business but butler butter by cafe cake call camp can candy cape captain car card carol
carry cash castle cat chance chancellor channel charity chase chat chef cherish cherry chess chip
chocolate christian church city clay clean clear cliff close cloud club coast coffee cold come
contact cook cool copper cork corn country couple court cow craft crane cup cute cyan daily daisy
dale dance dash dawn day dean dear den desert diamond dick did do doctor dog dolly dolphin don dot
dove down dream drew drive duke dusk dusty each early earth east easter eat edge egg elder else
end essence eve even evening ever every fabric face fair faith fall family farm fast fawn fay fern
field finch find fire first fish flag flat fleet flint floor flower fly food for forest fort fox
frank free friend from front gale game garden garnet gay gem gene general gentle get gift ginger
girl give glass glen glory go gold golden good goose grace grand grant grape gray great green grey
grill ground group grove guest guide guy gym had hall ham happy harbor harbour hardy harmony has
hat have haven hawk hay hazel he head heart heath heather heaven help her here hero high hill him
his hit holiday holly home honey hood hook hop hope hospital hot hotel house how hub hunt hunter
hut i ice if in inn iris iron is island it ivory ivy jack jade jam jasmine jay jeans jerk jet
jewel job join jolly joy judge jumper junior just justice kale keen key kid kind king kit kitchen
kitty knight lab lady lake lamb lance land lane large lark last laurel lawn lead leaf lean lee
left leg lemon less let liberty library life light like lily line link lion little live lodge log
long look lord lot love loyal luck lucky lunch mad made magic mail main make male mall mama man
manor many maple march mare marina mark market marsh marshal mason mass master mat mate max may me
meadow meet mercy merry message met metro mid midnight mild miles mill mine mint miracle miss mist
mobile moment money moon more morning most mother mount mountain mouse much museum music must my
nature navy near never new next nice nick night no noble nobody noon normal north not note now
nurse oak ocean of off office official oil old olive on once one only onyx opal or orange orchard
orchid order other our out over own page pal palm pan pansy papa paradise park party pass pat
patience peace peach pearl penny people pepper pet petal phone pie pierce pike pin pine pink pip
pit pizza place plain play plaza point pop poppy port power precious price pride prince princess
profile promise purple put queen quick quiet quill rain rainbow ran ranch randy ray read reading
real red reed reign rest restaurant rich ridge right ring river road rob robin rock rocket rocky
rod room root rose rosemary ruby rue run rush rust rusty saddle sage said sailor saint salt sand
sandy savage saw say scarlet school scout sea see self sense sent serenity service seven shade
shadow shallow she shell sherry shine ship shop shore short show silver simple sir sister sky
slate sleep small smart snow so soda sofa some son song soul south space spark split spot spring
square stage star start station steel step still stone store storm story strand stranger street
strong studio such sue sugar summer sun sunny support sure swan sweet swift system table tack take
tall tan tap tea team teddy temple ten terrace than that the them then there they thing this tiger
tile time tiny tip to today ton too top torn tour tower town trace track trail train tree trinity
trip true tulip turkey twin two uncle under unity unknown up us use user vale valentine valley van
velvet venture very vice victor victory view village vine violet vision wade walk walker wall
wander ward was water wave way we web well went west what wheat wheel when where which white who
why wide wild will willow win wind wine winter wise wish with wolf wonder wood woods work world
wren yard year yes yesterday you young your zone zoo
"""
COMMON = frozenset(_ORDINARY.split())
"""Folded. A name among them counts only with a capital that does not open a sentence."""
