/* UCB1 over all combinations: policies/factored/flat/flat_ucb1.py, blocks/ucb.py. */
#include "limit.h"

double play(const Job *job, Pcg64 *policy, Pcg64 *environment)
{
    long size = job->size, arms = job->columns == 2 ? size * size : size;
    static double total[MOST * MOST], plays[MOST * MOST], mean[MOST * MOST], width[MOST * MOST];
    double regret = 0.0;
    Pcg64 own = *policy, noise = *environment;
    for (long i = 0; i < arms; i++) {
        total[i] = plays[i] = width[i] = 0.0;
        mean[i] = INFINITY;
    }

    for (long t = 1; t <= job->rounds; t++) {
        double root = sqrt(2.0 * log(t)), best = -INFINITY;
        long chosen = 0, ties = 0;
        for (long i = 0; i < arms; i++) {
            double index = mean[i] + root * width[i];
            if (index >= best) {
                ties = index == best ? ties + 1 : 1;
                best = index;
                chosen = i;
            }
        }
        if (ties > 1) {
            long left = randint(&own, ties);
            for (long i = 0; i < arms; i++)
                if (mean[i] + root * width[i] == best && left-- == 0)
                    chosen = i;
        }

        double reward;
        if (job->columns == 2) {
            reward = product(job, chosen / size, chosen % size, &noise, &regret);
        } else {
            job->plays[chosen]++;
            regret += job->losses[0] - job->values[chosen];
            reward = draw(&noise) < job->values[chosen] ? 1.0 : 0.0;
        }
        total[chosen] += reward;
        plays[chosen] += 1.0;
        mean[chosen] = total[chosen] / plays[chosen];
        width[chosen] = 1.0 / sqrt(plays[chosen]);
    }
    return regret;
}
