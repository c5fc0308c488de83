/* TEA in duels: policies/dueling/dueling_tea.py. */
#include "tem.h"

double play(const Job *job, Pcg64 *policy, Pcg64 *environment)
{
    static Tem module;
    static long first[MOST], second[MOST];
    double regret = 0.0, rewards[MOST];
    Pcg64 own = *policy, noise = *environment;
    begin(&module, job->size);

    for (long t = 1; t <= job->rounds;) {
        long pause = job->skip ? idle(&module, 1, t) : 0, left = job->rounds - t + 1;
        long length = active_set(&module, log_f(t));
        schedule(&module, length, &own, first);
        memcpy(second, module.list, length * sizeof *second);
        shuffle(&own, second, length);

        if (pause > 0) {
            pause = pause < left ? pause : left;
            regret += 0.5 * (job->losses[first[0]] + job->losses[second[0]]) * pause;
            job->plays[first[0]] += pause;
            job->plays[job->size + second[0]] += pause;
            t += pause;
            continue;
        }
        for (long k = 0; k < length && k < left; k++)
            rewards[k] = -1.0 + 2.0 * duel(job, first[k], second[k], &noise, &regret);
        t += length;
        if (length < left)
            feedback(&module, length, first, rewards);
    }
    return regret;
}
