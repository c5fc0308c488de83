"""Headline and image: stop as soon as the best combination is certain, and notice if there is no
such thing.

One may look at a certificate after every visitor: it holds whenever one stops. It rests on the
assumption that each factor has a best level whatever the other one shows; `diagnose` watches over
that at the same time.
"""

import numpy as np

import factored_bandits as fb

FACTORS = {"headline": ["question", "number", "plain"], "image": ["face", "product"]}
FITTING = {
    ("question", "face"): 0.5,
    ("number", "product"): 0.5,
}  # the second site: what is best depends on the other


def interest(site, headline, image):
    """The chance of a click."""
    if site == "ordinary":
        return {"question": 0.5, "number": 0.3, "plain": 0.2}[headline] * {
            "face": 1.0,
            "product": 0.6,
        }[image]
    return FITTING.get((headline, image), 0.1)


def experiment(site, bound, visitors=20_000):
    rng = np.random.default_rng(1)
    agent = fb.Agent("tea", factors=FACTORS, bound=bound, seed=1, diagnostics=True)
    for visitor in range(1, visitors + 1):
        decision = agent.ask()
        agent.tell(decision.id, float(rng.random() < interest(site, *decision.levels.values())))
        if visitor % 100 == 0:
            certificate, diagnosis = fb.certificate(agent), agent.diagnose()
            if diagnosis.alarms or certificate.confidence >= 0.95:
                break
    print(f"the {site} site, bound={bound}: {visitor:,} visitors")
    print(diagnosis if diagnosis.alarms else certificate)


if __name__ == "__main__":
    experiment("ordinary", "betting")
    print()
    experiment("other", "paper")
