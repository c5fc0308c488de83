/* What the programs share: the job, NumPy's PCG64, draws as in core/rng.py. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64 /* levels of a factor, or arms */

typedef struct {
    const double *values; /* factored: columns x size effects; duels: size x size, row beats column */
    const double *losses; /* duels: of each arm; factored: the mean of the best combination */
    long columns, size, rounds, skip;
    int64_t *plays; /* columns x size */
} Job;

typedef struct {
    unsigned __int128 state, increment;
} Pcg64;

static inline uint64_t draw_word(Pcg64 *rng)
{
    const unsigned __int128 multiplier = ((unsigned __int128)0x2360ed051fc65da4ULL << 64) | 0x4385df649fccf645ULL;
    rng->state = rng->state * multiplier + rng->increment;
    uint64_t mixed = (uint64_t)(rng->state >> 64) ^ (uint64_t)rng->state;
    unsigned turn = rng->state >> 122;
    return (mixed >> turn) | (mixed << (-turn & 63));
}

static inline double draw(Pcg64 *rng) { return (draw_word(rng) >> 11) * 0x1p-53; }

static inline long randint(Pcg64 *rng, long n) { return (long)(draw(rng) * n); }

static inline void shuffle(Pcg64 *rng, long *items, long length)
{
    for (long i = length - 1; i > 0; i--) {
        long j = randint(rng, i + 1), other = items[j];
        items[j] = items[i];
        items[i] = other;
    }
}

static inline long categorical(const double *w, long size, Pcg64 *rng)
{
    double left = draw(rng);
    long last = 0;
    for (long i = 0; i < size; i++)
        if (w[i] > 0.0) {
            last = i;
            left -= w[i];
            if (left < 0.0)
                break;
        }
    return last;
}

/* One play of a product of two factors, Bernoulli: counts it, adds its regret, returns the reward. */
static inline double product(const Job *job, long i, long j, Pcg64 *rng, double *regret)
{
    double mean = job->values[i] * job->values[job->size + j];
    job->plays[i]++;
    job->plays[job->size + j]++;
    *regret += job->losses[0] - mean;
    return draw(rng) < mean ? 1.0 : 0.0;
}

/* One duel: 1 if i wins. */
static inline double duel(const Job *job, long i, long j, Pcg64 *rng, double *regret)
{
    job->plays[i]++;
    job->plays[job->size + j]++;
    *regret += 0.5 * (job->losses[i] + job->losses[j]);
    return draw(rng) < job->values[i * job->size + j] ? 1.0 : 0.0;
}
