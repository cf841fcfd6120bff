"""English words whose forms no stemmer brings together: irregular verbs and plurals."""

from __future__ import annotations

from collections.abc import Mapping

_FAMILIES = """
arise arose arisen; awake awoke awoken; bear bore borne; beat beaten; become became; begin began
begun; bend bent; bind bound; bite bit bitten; bleed bled; blow blew blown; break broke broken;
breed bred; bring brought; build built; burn burnt; buy bought; catch caught; choose chose chosen;
cling clung; come came; creep crept; dig dug; draw drew drawn; dream dreamt; drink drank drunk;
drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought; find found;
flee fled; fly flew flown; forbid forbade forbidden; forget forgot forgotten; forgive forgave
forgiven; freeze froze frozen; give gave given; go goes going went gone; grind ground; grow grew
grown; hang hung; hear heard; hide hid hidden; hold held; keep kept; kneel knelt; know knew known;
lay laid; lead led; lean leant; learn learnt; leave left; lend lent; lie lay lain; light lit; lose
lost; make made; mean meant; meet met; mistake mistook mistaken; pay paid; ride rode ridden; ring
rang rung; rise rose risen; run ran; say said; see saw seen; seek sought; sell sold; send sent; sew
sewn; shake shook shaken; shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang sung;
sink sank sunk; sit sat; sleep slept; slide slid; speak spoke spoken; spell spelt; spend spent;
spill spilt; spin spun; spring sprang sprung; stand stood; steal stole stolen; stick stuck; sting
stung; strike struck; swear swore sworn; sweep swept; swim swam swum; swing swung; take took taken;
teach taught; tear tore torn; tell told; think thought; throw threw thrown; understand understood;
wake woke woken; wear wore worn; weave wove woven; weep wept; win won; wind wound; withdraw withdrew
withdrawn; write wrote written; rebuild rebuilt; rewrite rewrote rewritten; override overrode
overridden; undo undid undone;
child children; person people; man men; woman women; foot feet; tooth teeth; mouse mice; goose
geese; life lives; wife wives; knife knives; leaf leaves; half halves; shelf shelves; wolf wolves;
loaf loaves; index indices indexes; matrix matrices; vertex vertices; datum data; criterion
criteria; analysis analyses; hypothesis hypotheses; good better best; bad worse worst
"""


def _by_word() -> Mapping[str, tuple[str, ...]]:
    families: dict[str, dict[str, None]] = {}
    for line in _FAMILIES.split(";"):
        family = line.split()
        for word in family:
            families.setdefault(word, {}).update(dict.fromkeys(family))
    return {word: tuple(each for each in found if each != word) for word, found in families.items()}


IRREGULAR: Mapping[str, tuple[str, ...]] = _by_word()
"""A folded word to the other words of its family."""
