"""Dueling algorithms word for word, and a walk through a policy, duel by duel: oracles.

A literal algorithm is a generator: it yields the pair to play and is sent the outcome. Where it
draws from the same generator in the same order as the policy, the two must agree in every duel.
"""

from __future__ import annotations

import math

import numpy as np

import problems
from factored_bandits.core.rng import generators


def blocks(policy, problem, rounds, seed=0):
    """Play a policy interpreted; yields each block before it is learned.

    A block is (t, job, state, actions, rewards).
    """
    job = problems.job(policy, problem, rounds, permute=False)
    module = job.policy.module
    state = job.new_state()
    policy_rng, rng = generators(seed)
    run = job.prepare(rng, state)
    t = 1

    while t <= rounds:
        length = int(module.plan(job.params, state, t, policy_rng, run.actions))
        for row in range(length):
            run.rewards[row] = problem.module.sample(problem.data, t + row, run.actions[row], rng)
        yield t, job, state, run.actions[:length].tolist(), run.rewards[:length].tolist()
        module.learn(job.params, state, t, run.actions[:length], run.rewards[:length])
        t += length


def walk(policy, problem, rounds, seed=0):
    """The same duel by duel: yields (t, job, state, action, reward)."""
    for t, job, state, actions, rewards in blocks(policy, problem, rounds, seed):
        for row, (action, reward) in enumerate(zip(actions, rewards, strict=True)):
            yield t + row, job, state, tuple(action), reward


def agrees(policy, literal, problem, rounds, seed=0):
    """The first round in which the duels of policy and literal algorithm differ, or None.

    The literal algorithm is fed what the policy sees.
    """
    rng = generators(seed)[0]
    other = literal(problem.sizes[0], rng)
    expected = next(other)
    for t, _, _, action, reward in walk(policy, problem, rounds, seed):
        if action != expected:
            return t
        expected = other.send(reward)
    return None


def argmax(values, rng):
    """A largest one at random, drawn as the kernels do."""
    best = -math.inf
    chosen = 0
    ties = 0

    for i, value in enumerate(values):
        if value > best:
            best = value
            chosen = i
            ties = 1
        elif value == best:
            ties += 1
            if rng.random() * ties < 1.0:
                chosen = i

    return chosen


class UCB:
    """The base bandit: unplayed arms first, then mean + sqrt(alpha log n / plays)."""

    def __init__(self, arms, alpha=2.5):
        self.alpha = alpha
        self.wins = [0.0] * arms
        self.plays = [0] * arms

    def pick(self, rng):
        n = sum(self.plays)
        index = [
            s / k + math.sqrt(self.alpha * math.log(n) / k) if k else math.inf
            for s, k in zip(self.wins, self.plays, strict=True)
        ]
        return argmax(index, rng)

    def feed(self, arm, win):
        self.wins[arm] += win
        self.plays[arm] += 1


def doubler(arms, rng):
    """Ailon et al. 2014, Algorithm 1."""
    opponents = [int(rng.random() * arms)]
    epoch = 1

    while True:
        base_bandit = UCB(arms)
        chosen = []
        for _ in range(2**epoch):
            x = sorted(opponents)[int(rng.random() * len(opponents))]
            y = base_bandit.pick(rng)
            reward = yield x, y
            base_bandit.feed(y, 1.0 - reward)
            chosen.append(y)
        opponents = chosen
        epoch += 1


def multi_sbm(arms, rng):
    """Ailon et al. 2014, Algorithm 3."""
    base_bandits = [UCB(arms) for _ in range(arms)]
    x = int(rng.random() * arms)

    while True:
        y = base_bandits[x].pick(rng)
        reward = yield x, y
        base_bandits[x].feed(y, 1.0 - reward)
        x = y


def sparring(arms, rng):
    left, right = UCB(arms), UCB(arms)
    while True:
        x, y = left.pick(rng), right.pick(rng)
        reward = yield x, y
        left.feed(x, reward)
        right.feed(y, 1.0 - reward)


def self_sparring(counted):
    """Sui et al. 2017, Algorithm 1, with self-duels counted or not."""

    def play(arms, rng):
        a = [1.0] * arms
        b = [1.0] * arms
        while True:
            x, y = (int(np.argmax([rng.beta(a[i], b[i]) for i in range(arms)])) for _ in range(2))
            reward = yield x, y
            if x != y or counted:
                a[x] += reward
                b[x] += 1.0 - reward
                a[y] += 1.0 - reward
                b[y] += reward

    return play


def tsallis_weights(losses, rate):
    """w_i = 4 (rate (L_i - x))^-2, x by bisection."""
    losses = np.asarray(losses)
    low = losses.min() - 2.0 * math.sqrt(len(losses)) / rate
    high = losses.min() - 2.0 / rate

    for _ in range(70):
        x = 0.5 * (low + high)
        if (4.0 / (rate * (losses - x)) ** 2).sum() > 1.0:
            high = x
        else:
            low = x
    weights = 4.0 / (rate * (losses - low)) ** 2
    return weights / weights.sum()


def draw(probabilities, rng):
    drawn = int(np.searchsorted(np.cumsum(probabilities), rng.random(), side="right"))
    return min(drawn, len(probabilities) - 1)


def reduced_variance(weights, rate, arm, loss):
    """The estimated loss of every arm: baseline 1/2 for ALL with w >= rate^2, then importance."""
    baseline = np.where(weights >= rate**2, 0.5, 0.0)
    estimate = baseline.copy()
    estimate[arm] += (loss - baseline[arm]) / weights[arm]
    return estimate


def vdb(arms, rng):
    """Saha & Gaillard 2022 with Tsallis-INF: both arms from one learner."""
    losses = np.zeros(arms)
    t = 1
    while True:
        rate = 4.0 / math.sqrt(t)
        weights = tsallis_weights(losses, rate)
        x = draw(weights, rng)
        y = draw(weights, rng)
        reward = yield x, y
        losses += 0.5 * reduced_variance(weights, rate, x, 1.0 - reward)
        losses += 0.5 * reduced_variance(weights, rate, y, reward)
        t += 1


def tsallis_sparring(arms, rng):
    losses = [np.zeros(arms), np.zeros(arms)]
    t = 1
    while True:
        rate = 4.0 / math.sqrt(t)
        weights = [tsallis_weights(each, rate) for each in losses]
        x = draw(weights[0], rng)
        y = draw(weights[1], rng)
        reward = yield x, y
        losses[0] += reduced_variance(weights[0], rate, x, 1.0 - reward)
        losses[1] += reduced_variance(weights[1], rate, y, reward)
        t += 1


def exp3_sparring(arms, rng):
    losses = [np.zeros(arms), np.zeros(arms)]
    t = 1
    while True:
        rate = math.sqrt(math.log(arms) / (arms * t))
        probabilities = [np.exp(-rate * (each - each.min())) for each in losses]
        probabilities = [each / each.sum() for each in probabilities]
        x = draw(probabilities[0], rng)
        y = draw(probabilities[1], rng)
        reward = yield x, y
        losses[0][x] += (1.0 - reward) / probabilities[0][x]
        losses[1][y] += reward / probabilities[1][y]
        t += 1


def thompson_sparring(arms, rng):
    wins = np.zeros((2, arms))
    plays = np.zeros((2, arms))

    def pick(position):
        lost = plays[position] - wins[position]
        theta = [rng.beta(wins[position, i] + 1.0, lost[i] + 1.0) for i in range(arms)]
        return int(np.argmax(theta))

    while True:
        x = pick(0)
        y = pick(1)
        reward = yield x, y
        for position, arm, win in ((0, x, reward), (1, y, 1.0 - reward)):
            wins[position, arm] += win
            plays[position, arm] += 1
