/* Uniform play: policies/factored/uniform.py. */
#include "limit.h"

double play(const Job *job, Pcg64 *policy, Pcg64 *environment)
{
    double regret = 0.0, total[2][MOST] = {{0}};
    int64_t plays[2][MOST] = {{0}};
    Pcg64 own = *policy, noise = *environment;

    for (long t = 1; t <= job->rounds; t++) {
        long i = randint(&own, job->size), j = randint(&own, job->size);
        double reward = product(job, i, j, &noise, &regret);
        total[0][i] += reward;
        total[1][j] += reward;
        plays[0][i]++;
        plays[1][j]++;
    }
    /* the sums must not be optimised away */
    policy->state = (unsigned __int128)(total[0][0] + total[1][0] + plays[0][0] + plays[1][0]);
    return regret;
}
