/* NumPy's Beta numbers, by its own C library (libnpyrandom), drawn from a generator of limit.h. */
#include "limit.h"

typedef struct {
    void *state;
    uint64_t (*next_uint64)(void *);
    uint32_t (*next_uint32)(void *);
    double (*next_double)(void *);
    uint64_t (*next_raw)(void *);
} BitGenerator;

double random_beta(BitGenerator *generator, double a, double b);

static uint64_t next_word(void *rng) { return draw_word(rng); }
static double next_float(void *rng) { return draw(rng); }

static inline double draw_beta(Pcg64 *rng, double a, double b)
{
    /* halves of words are not asked for */
    BitGenerator generator = {rng, next_word, NULL, next_float, next_word};
    return random_beta(&generator, a, b);
}

/* log n! - log(sqrt(2 pi n) (n / e)^n): core/numerics.py */
static inline double stirling_error(double n)
{
    double x = 1.0 / (n * n);
    return (1.0 / 12.0 - x * (1.0 / 360.0 - x * (1.0 / 1260.0 - x * (1.0 / 1680.0 - x / 1188.0)))) / n;
}
