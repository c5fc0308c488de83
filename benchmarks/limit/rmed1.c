/* RMED1, every round played: policies/dueling/rmed. */
#include "limit.h"

static double wins[MOST][MOST], share[MOST][MOST], total[MOST];
static long order[MOST], current[MOST], following[MOST];
static char remaining[MOST], chosen[MOST];

static double divergence(double won, double lost)
{
    if (won >= lost)
        return 0.0;
    double lead = (lost - won) / (lost + won), value = lost * log1p(lead);
    return won > 0.0 ? value + won * log1p(-lead) : value;
}

static double on_grid(double value)
{
    volatile double sum = value + 0x1p18;
    return sum - 0x1p18;
}

static void update(long i, long j)
{
    double n = wins[i][j] + wins[j][i], before = share[i][j], now = wins[i][j] / n;
    share[i][j] = now;
    double others = total[i] - on_grid((n - 1.0) * divergence(before, 1.0 - before));
    total[i] = fmax(others, 0.0) + on_grid(n * divergence(now, 1.0 - now));
}

static double least_evidence(long arms)
{
    double least = INFINITY;
    for (long i = 0; i < arms; i++)
        least = total[i] < least ? total[i] : least;
    return least;
}

static long likeliest(long arms, Pcg64 *rng)
{
    double least = least_evidence(arms) + 1e-9;
    long best = 0, ties = 0;
    for (long i = 0; i < arms; i++)
        if (total[i] <= least) {
            best = i;
            ties++;
        }
    if (ties > 1) {
        long left = randint(rng, ties);
        for (best = 0; total[best] > least || left > 0; best++)
            left -= total[best] <= least;
    }
    return best;
}

static long opponent(long arms, long l, long best, Pcg64 *rng)
{
    if (share[l][best] <= 0.5)
        return best;
    double least = 0.5;
    long choice = best, ties = 0;
    for (long j = 0; j < arms; j++)
        if (share[l][j] <= least) {
            ties = share[l][j] < least ? 1 : ties + 1;
            least = share[l][j];
            if (ties == 1 || randint(rng, ties) == 0)
                choice = j;
        }
    return choice;
}

double play(const Job *job, Pcg64 *policy, Pcg64 *environment)
{
    long arms = job->size, length = 0, position = 0, next = arms;
    double regret = 0.0, slack = 0.3 * pow(arms, 1.01);
    Pcg64 own = *policy, noise = *environment;
    for (long i = 0; i < arms; i++) {
        for (long j = 0; j < arms; j++) {
            wins[i][j] = 0.0;
            share[i][j] = i == j ? 1.0 : 0.5;
        }
        total[i] = remaining[i] = 0;
        order[i] = following[i] = i;
        chosen[i] = 1;
    }
    shuffle(&own, order, arms);

    long row = 0, column = 1; /* of the pass over all pairs */
    for (long t = 1; t <= job->rounds; t++) {
        int passing = row < arms - 1;
        long i, j;
        if (passing) {
            i = order[row];
            j = order[column];
            if (++column == arms)
                column = ++row + 1;
        } else {
            long best = likeliest(arms, &own);
            if (position == length) {
                for (long k = 0; k < next; k++) {
                    current[k] = following[k];
                    remaining[current[k]] = 1;
                    chosen[current[k]] = 0;
                }
                length = next;
                position = next = 0;
                shuffle(&own, current, length);
            }
            i = current[position++];
            j = opponent(arms, i, best, &own);
        }

        double won = duel(job, i, j, &noise, &regret);
        if (i != j) {
            wins[i][j] += won;
            wins[j][i] += 1.0 - won;
            update(i, j);
            update(j, i);
        }
        if (passing)
            continue;
        remaining[i] = 0;
        double least = least_evidence(arms), bar = log(t) + slack;
        for (long k = 0; k < arms; k++)
            if (total[k] - least <= bar && !remaining[k] && !chosen[k]) {
                following[next++] = k;
                chosen[k] = 1;
            }
    }
    return regret;
}
