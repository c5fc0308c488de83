/* TEA on a product of two factors: policies/factored/tea.py. */
#include "tem.h"

double play(const Job *job, Pcg64 *policy, Pcg64 *environment)
{
    static Tem modules[2];
    static long rows[2][MOST];
    double regret = 0.0, rewards[MOST];
    Pcg64 own = *policy, noise = *environment;
    begin(&modules[0], job->size);
    begin(&modules[1], job->size);

    for (long t = 1; t <= job->rounds;) {
        long pause = job->skip ? idle(modules, 2, t) : 0, left = job->rounds - t + 1;
        double level = log_f(t);
        long first = active_set(&modules[0], level), second = active_set(&modules[1], level);
        long length = first > second ? first : second;
        schedule(&modules[0], length, &own, rows[0]);
        schedule(&modules[1], length, &own, rows[1]);

        if (pause > 0) {
            pause = pause < left ? pause : left;
            long i = rows[0][0], j = rows[1][0];
            regret += (job->losses[0] - job->values[i] * job->values[job->size + j]) * pause;
            job->plays[i] += pause;
            job->plays[job->size + j] += pause;
            t += pause;
            continue;
        }
        for (long k = 0; k < length && k < left; k++)
            rewards[k] = -1.0 + 2.0 * product(job, rows[0][k], rows[1][k], &noise, &regret);
        t += length;
        if (length < left)
            for (long l = 0; l < 2; l++)
                feedback(&modules[l], length, rows[l], rewards);
    }
    return regret;
}
