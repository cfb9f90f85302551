"""English words that are names of people or places as well: in lower case they are only words."""

from __future__ import annotations

_TEXT = """
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
COMMON = frozenset(_TEXT.split())
"""Folded. A name among them counts only with a capital that does not open a sentence."""
