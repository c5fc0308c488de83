"""Dueling algorithms word for word, and a walk through a policy, duel by duel: oracles for the fast
forms.

A literal algorithm is a generator: it yields the pair to play and is sent the outcome. Where it
draws from the same generator in the same order as the policy, the two must agree in every duel.
"""

from __future__ import annotations

import math

import numpy as np

import problems
from factored_bandits.core.rng import generators


def blocks(policy, problem, rounds, seed=0):
    """Play a policy interpreted; yields (t, job, state, actions, rewards) of each block before it
    is learned.
    """
    job = problems.job(policy, problem, rounds, permute=False)
    module, state = job.policy.module, job.new_state()
    policy_rng, rng = generators(seed)
    run, t = job.prepare(rng, state), 1
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
    """Feed a literal algorithm what the policy sees: the first round in which their duels differ,
    None if in none.
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
    best, chosen, ties = -math.inf, 0, 0
    for i, value in enumerate(values):
        if value > best:
            best, chosen, ties = value, i, 1
        elif value == best:
            ties += 1
            if rng.random() * ties < 1.0:
                chosen = i
    return chosen


class UCB:
    """The single-bandit machine of the literature: unplayed arms first, then mean + sqrt(alpha ln n
    / plays).
    """

    def __init__(self, arms, alpha=2.5):
        self.alpha, self.wins, self.plays = alpha, [0.0] * arms, [0] * arms

    def pick(self, rng):
        n = sum(self.plays)
        return argmax(
            [
                s / k + math.sqrt(self.alpha * math.log(n) / k) if k else math.inf
                for s, k in zip(self.wins, self.plays, strict=True)
            ],
            rng,
        )

    def feed(self, arm, win):
        self.wins[arm] += win
        self.plays[arm] += 1


def doubler(arms, rng):
    context, epoch = [int(rng.random() * arms)], 1
    while True:
        base_bandit, chosen = UCB(arms), []
        for _ in range(2**epoch):
            x = sorted(context)[int(rng.random() * len(context))]
            y = base_bandit.pick(rng)
            reward = yield x, y
            base_bandit.feed(y, 1.0 - reward)
            chosen.append(y)
        context, epoch = chosen, epoch + 1


def multi_sbm(arms, rng):
    base_bandits, x = [UCB(arms) for _ in range(arms)], int(rng.random() * arms)
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
    def play(arms, rng):
        a, b = [1.0] * arms, [1.0] * arms
        while True:
            x, y = (int(np.argmax([rng.beta(a[i], b[i]) for i in range(arms)])) for _ in range(2))
            reward = yield x, y
            if x != y or counted:
                a[x], b[x] = a[x] + reward, b[x] + 1.0 - reward
                a[y], b[y] = a[y] + 1.0 - reward, b[y] + reward

    return play


def tsallis_weights(losses, rate):
    """w_i = 4 (rate (L_i - x))^-2, x by bisection."""
    losses = np.asarray(losses)
    low, high = losses.min() - 2.0 * math.sqrt(len(losses)) / rate, losses.min() - 2.0 / rate
    for _ in range(70):
        x = 0.5 * (low + high)
        if (4.0 / (rate * (losses - x)) ** 2).sum() > 1.0:
            high = x
        else:
            low = x
    weights = 4.0 / (rate * (losses - low)) ** 2
    return weights / weights.sum()


def draw(probabilities, rng):
    return min(
        int(np.searchsorted(np.cumsum(probabilities), rng.random(), side="right")),
        len(probabilities) - 1,
    )


def reduced_variance(weights, rate, arm, loss):
    """The estimated loss of every arm: the baseline 1/2 for ALL arms with w >= rate^2, the rest by
    importance.
    """
    baseline = np.where(weights >= rate**2, 0.5, 0.0)
    estimate = baseline.copy()
    estimate[arm] += (loss - baseline[arm]) / weights[arm]
    return estimate


def vdb(arms, rng):
    losses, t = np.zeros(arms), 1
    while True:
        rate = 4.0 / math.sqrt(t)
        weights = tsallis_weights(losses, rate)
        x, y = draw(weights, rng), draw(weights, rng)
        reward = yield x, y
        losses += 0.5 * reduced_variance(weights, rate, x, 1.0 - reward)
        losses += 0.5 * reduced_variance(weights, rate, y, reward)
        t += 1


def tsallis_sparring(arms, rng):
    losses, t = [np.zeros(arms), np.zeros(arms)], 1
    while True:
        rate = 4.0 / math.sqrt(t)
        weights = [tsallis_weights(each, rate) for each in losses]
        x, y = draw(weights[0], rng), draw(weights[1], rng)
        reward = yield x, y
        losses[0] += reduced_variance(weights[0], rate, x, 1.0 - reward)
        losses[1] += reduced_variance(weights[1], rate, y, reward)
        t += 1


def exp3_sparring(arms, rng):
    losses, t = [np.zeros(arms), np.zeros(arms)], 1
    while True:
        rate = math.sqrt(math.log(arms) / (arms * t))
        probabilities = [np.exp(-rate * (each - each.min())) for each in losses]
        probabilities = [each / each.sum() for each in probabilities]
        x, y = draw(probabilities[0], rng), draw(probabilities[1], rng)
        reward = yield x, y
        losses[0][x] += (1.0 - reward) / probabilities[0][x]
        losses[1][y] += reward / probabilities[1][y]
        t += 1


def thompson_sparring(arms, rng):
    wins, plays = np.zeros((2, arms)), np.zeros((2, arms))
    while True:
        x, y = (
            int(
                np.argmax(
                    [
                        rng.beta(wins[p, i] + 1.0, plays[p, i] - wins[p, i] + 1.0)
                        for i in range(arms)
                    ]
                )
            )
            for p in range(2)
        )
        reward = yield x, y
        for place, arm, win in ((0, x, reward), (1, y, 1.0 - reward)):
            wins[place, arm] += win
            plays[place, arm] += 1
