/* RUCB, every round played: policies/dueling/rucb.py, blocks/duels.py. */
#include "limit.h"

static double wins[MOST][MOST], rate[MOST][MOST], width[MOST][MOST], worst[MOST];
static long favourite;

static double deficit(long i, long j)
{
    double behind = wins[j][i] - wins[i][j];
    return behind <= 0.0 ? 0.0 : behind * behind / (4.0 * (wins[i][j] + wins[j][i]));
}

static long pick_champion(long arms, double threshold, Pcg64 *rng)
{
    long possible = 0, last = -1;
    for (long i = 0; i < arms; i++)
        if (worst[i] <= threshold) {
            possible++;
            last = i;
        }
    if (possible == 0) {
        favourite = -1;
        return randint(rng, arms);
    }
    if (possible == 1)
        return favourite = last;
    if (favourite >= 0 && worst[favourite] > threshold)
        favourite = -1;
    if (favourite >= 0) {
        if (draw(rng) < 0.5)
            return favourite;
        possible--;
    }
    long left = randint(rng, possible);
    for (long i = 0; i < arms; i++)
        if (worst[i] <= threshold && i != favourite && left-- == 0)
            return i;
    return last;
}

static long strongest_rival(long arms, long c, double root, Pcg64 *rng)
{
    double best = 0.5;
    long choice = c, ties = 0;
    for (long j = 0; j < arms; j++) {
        double bound = rate[c][j] + root * width[c][j];
        if (bound >= best && j != c) {
            ties = bound > best ? 1 : ties + 1;
            best = bound;
            if (ties == 1 || randint(rng, ties) == 0)
                choice = j;
        }
    }
    return choice;
}

static void update_worst(long arms, long i, long j, double before)
{
    double now = deficit(i, j);
    if (now >= worst[i]) {
        worst[i] = now;
    } else if (before == worst[i]) {
        worst[i] = 0.0;
        for (long k = 0; k < arms; k++)
            worst[i] = fmax(worst[i], deficit(i, k));
    }
}

double play(const Job *job, Pcg64 *policy, Pcg64 *environment)
{
    long arms = job->size;
    double regret = 0.0;
    Pcg64 own = *policy, noise = *environment;
    favourite = -1;
    for (long i = 0; i < arms; i++) {
        worst[i] = 0.0;
        for (long j = 0; j < arms; j++) {
            wins[i][j] = width[i][j] = 0.0;
            rate[i][j] = 1.0;
        }
    }

    for (long t = 1; t <= job->rounds; t++) {
        double threshold = 0.51 * log(t);
        long i = pick_champion(arms, threshold, &own);
        long j = strongest_rival(arms, i, sqrt(threshold), &own);
        double won = duel(job, i, j, &noise, &regret);
        if (i == j)
            continue;
        double first = deficit(i, j), second = deficit(j, i);
        wins[i][j] += won;
        wins[j][i] += 1.0 - won;
        double n = wins[i][j] + wins[j][i];
        rate[i][j] = wins[j][i] / n;
        rate[j][i] = wins[i][j] / n;
        width[i][j] = width[j][i] = 1.0 / sqrt(n);
        update_worst(arms, i, j, first);
        update_worst(arms, j, i, second);
    }
    return regret;
}
