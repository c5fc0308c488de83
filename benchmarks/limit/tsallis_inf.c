/* Tsallis-INF per factor: policies/factored/ftrl/tsallis_inf.py, blocks/tsallis.py.
   Ours also remembers propensities and bets for certificates, which is left out here. */
#include "limit.h"

static double losses[2][MOST], weights[2][MOST], solutions[2];

static void find_weights(long l, long size, double rate)
{
    double *w = weights[l], least = losses[l][0], highest = 2.0 * sqrt(size), total = 1.0;
    for (long i = 1; i < size; i++)
        least = losses[l][i] < least ? losses[l][i] : least;
    double y = fmin(fmax(solutions[l], 2.0), highest);

    for (int step = 0; step < 100; step++) {
        double cubes = 0.0;
        total = 0.0;
        for (long i = 0; i < size; i++) {
            double root = 2.0 / (rate * (losses[l][i] - least) + y);
            w[i] = root * root;
            total += w[i];
            cubes += w[i] * root;
        }
        if (fabs(total - 1.0) <= 1e-10)
            break;
        y = fmin(fmax(y + 2.0 * total * (sqrt(total) - 1.0) / cubes, 2.0), highest);
    }
    for (long i = 0; i < size; i++)
        w[i] /= total;
    solutions[l] = y;
}

double play(const Job *job, Pcg64 *policy, Pcg64 *environment)
{
    long size = job->size, chosen[2];
    double regret = 0.0;
    Pcg64 own = *policy, noise = *environment;
    memset(losses, 0, sizeof losses);
    solutions[0] = solutions[1] = 0.0;

    for (long t = 1; t <= job->rounds; t++) {
        double rate = 4.0 / sqrt(t);
        for (long l = 0; l < 2; l++) {
            find_weights(l, size, rate);
            chosen[l] = categorical(weights[l], size, &own);
        }
        double loss = 1.0 - product(job, chosen[0], chosen[1], &noise, &regret);
        for (long l = 0; l < 2; l++) {
            for (long i = 0; i < size; i++)
                if (weights[l][i] >= rate * rate)
                    losses[l][i] += 0.5;
            double w = weights[l][chosen[l]], baseline = w >= rate * rate ? 0.5 : 0.0;
            losses[l][chosen[l]] += (loss - baseline) / w;
        }
    }
    return regret;
}
