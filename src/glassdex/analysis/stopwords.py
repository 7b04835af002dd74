"""Function words by language: in the index like any other word (phrases need them), but no query runs on them
unless it has nothing else, and they do not count towards a passage's length.
"""

from __future__ import annotations

_LISTS = {
    "english": """a about after again all also am an and any are as at be because been before being below between
        both but by can could did do does doing down during each few for from further had has have having he her here
        hers him his how i if in into is it its itself just me more most my no nor not of off on once only or other
        our out over own same she should so some such than that the their them then there these they this those
        through to too under until up us very was we were what when where which while who whom why will with would
        you your""",
    "german": """aber als am an auch auf aus bei bin bis bist da das dass dein dem den der des die dies diese
        dieser doch du durch ein eine einem einen einer eines er es für hat ich ihr im in ist ja kein man mich mir
        mit nach nicht noch nur oder sich sie sind so um und uns von vor war was wenn wer wie wir wird zu zum zur""",
    "french": """à au aux avec ce ces cette dans de des du elle en est et il ils je la le les leur lui mais me mes
        mon ne nos nous on ou où par pas pour qu que qui sa se ses son sont sur ta te tu un une vos vous""",
    "spanish": """a al como con de del el ella en entre era es esta este ha la las le les lo los me mi muy no nos o
        para pero por que se si sin sobre su sus te tu un una y ya yo""",
    "italian": """a ad al alla anche che chi ci come con da dal dei del della di e è gli ha i il in io la le lo ma
        mi ne nel non o per più se si sono su sul tra un una""",
    "portuguese": """a ao as com como da das de do dos e é ela ele em entre eu foi há isso la mais mas me na não nas
        no nos o os ou para pela pelo por que se sem seu sua um uma""",
    "dutch": """aan als bij dan dat de deze die dit door een en er haar had heb het hij hoe ik in is je kan maar met
        mijn naar niet nog of om ook op over te tot uit van voor was wat we wel wij wordt ze zich zij zijn zo""",
}


def stopwords(language: str) -> frozenset[str]:
    """The list of a language, casefolded; empty for a language without one."""
    return frozenset(_LISTS.get(language, "").split())
