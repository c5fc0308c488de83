"""Stop as soon as the best headline and image are certain, and notice if there is no best.

A certificate may be read after every visitor: it is valid at any stopping time. It assumes that
each factor has a best level whatever the other one shows; `diagnose` tests that at the same time.
"""

import numpy as np

import factored_bandits as fb

FACTORS = {"headline": ["question", "number", "plain"], "image": ["face", "product"]}
# on the second site the best headline depends on the image
FITTING = {("question", "face"): 0.5, ("number", "product"): 0.5}
HEADLINES = {"question": 0.5, "number": 0.3, "plain": 0.2}
IMAGES = {"face": 1.0, "product": 0.6}


def interest(site, headline, image):
    """The probability of a click."""
    if site == "ordinary":
        return HEADLINES[headline] * IMAGES[image]
    return FITTING.get((headline, image), 0.1)


def experiment(site, bound, visitors=20_000):
    rng = np.random.default_rng(1)
    agent = fb.Agent("tea", factors=FACTORS, bound=bound, seed=1, diagnostics=True)
    for visitor in range(1, visitors + 1):
        decision = agent.ask()
        agent.tell(decision.id, float(rng.random() < interest(site, *decision.levels.values())))
        if visitor % 100 == 0:
            certificate = fb.certificate(agent)
            diagnosis = agent.diagnose()
            if diagnosis.alarms or certificate.confidence >= 0.95:
                break
    print(f"the {site} site, bound={bound}: {visitor:,} visitors")
    print(diagnosis if diagnosis.alarms else certificate)


if __name__ == "__main__":
    experiment("ordinary", "betting")
    print()
    experiment("other", "paper")
