/* Heat in a square plate, one rank: a five-point stencil whose state is in snapshots, so that a killed run goes on where it was.
 *
 *     cc -O2 heat.c -o heat $(pkg-config --cflags --libs mscale)
 *     heat SIZE STEPS [KILL_AFTER [PAUSE]]
 *
 * Prints the heat after each hundredth step and at the end, exactly; with KILL_AFTER it kills itself after that step, 0 never.
 * PAUSE is in milliseconds after each step, as if more had to be computed.
 */
#include <mscale/mscale.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct plate {
    size_t side;
    double *now, *next;
};

static int make_plate(struct plate *plate, size_t side)
{
    plate->side = side;
    plate->now = calloc(side * side, sizeof(double));
    plate->next = calloc(side * side, sizeof(double));
    if (!plate->now || !plate->next) return 0;
    for (size_t i = 0; i < side; ++i) plate->now[i] = plate->next[i] = 100.0;
    return 1;
}

static void advance(struct plate *plate)
{
    const size_t side = plate->side;
    for (size_t row = 1; row + 1 < side; ++row) {
        for (size_t column = 1; column + 1 < side; ++column) {
            const size_t at = row * side + column;
            plate->next[at] = 0.25 * (plate->now[at - 1] + plate->now[at + 1] + plate->now[at - side] + plate->now[at + side]);
        }
    }
    double *const before = plate->now;
    plate->now = plate->next;
    plate->next = before;
}

static double sum_heat(const struct plate *plate)
{
    double sum = 0;
    for (size_t i = 0; i < plate->side * plate->side; ++i) sum += plate->now[i];
    return sum;
}

static size_t bytes_of(const struct plate *plate)
{
    return plate->side * plate->side * sizeof(double);
}

/* What goes wrong with a snapshot is told and ends nothing. */
static void save(const struct plate *plate, uint64_t step)
{
    const uint64_t shape[2] = {plate->side, plate->side}, offset[2] = {0, 0};
    const mscale_tensor tensor = {MSCALE_F64, 2, shape, offset, shape};
    mscale_status status = mscale_start_save(step);
    if (status == MSCALE_BUSY) return;
    if (status == MSCALE_OK) status = mscale_put("plate", plate->now, bytes_of(plate), MSCALE_TENSOR, &tensor);
    if (status == MSCALE_OK) status = mscale_complete_save(1);
    if (status != MSCALE_OK) fprintf(stderr, "heat: step %llu: %s\n", (unsigned long long)step, mscale_last_error());
}

/* The first step to run, or 0 when the program must not start. */
static uint64_t restore(struct plate *plate)
{
    uint64_t step = 0;
    mscale_status status;
    while ((status = mscale_have_restart(&step)) == MSCALE_OK) {
        const int valid = mscale_start_restart() == MSCALE_OK && mscale_get("plate", plate->now, bytes_of(plate)) == MSCALE_OK;
        status = mscale_complete_restart(valid);
        if (status == MSCALE_OK && valid) {
            memcpy(plate->next, plate->now, bytes_of(plate)); /* its border is used too */
            return step + 1;
        }
        if (status != MSCALE_OK && status != MSCALE_BUSY) return 0;
    }
    return status == MSCALE_NO_RESTART || status == MSCALE_OUTSIDE ? 1 : 0;
}

static void rest(unsigned long milliseconds)
{
    const struct timespec time = {(time_t)(milliseconds / 1000), (long)(milliseconds % 1000) * 1000000};
    if (milliseconds > 0) nanosleep(&time, NULL);
}

static void run(struct plate *plate, uint64_t first, uint64_t steps, uint64_t kill_after, unsigned long pause)
{
    for (uint64_t step = first; step <= steps; ++step) {
        advance(plate);
        rest(pause);
        if (step % 100 == 0 || step == steps) printf("step %llu heat %a\n", (unsigned long long)step, sum_heat(plate));
        mscale_progress(step);
        if (mscale_need_save(step)) save(plate, step);
        if (step == kill_after) raise(SIGKILL);
        if (mscale_should_exit()) break;
    }
}

int main(int count, char **words)
{
    struct plate plate;
    if (count < 3 || !make_plate(&plate, strtoul(words[1], NULL, 10))) {
        fprintf(stderr, "usage: heat SIZE STEPS [KILL_AFTER [PAUSE]]\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    mscale_options options = MSCALE_OPTIONS_INIT;
    options.state_bytes = bytes_of(&plate);
    const mscale_status status = mscale_init(&options);
    const uint64_t first = status == MSCALE_OK || status == MSCALE_OUTSIDE ? restore(&plate) : 0;
    if (first == 0) {
        fprintf(stderr, "heat: %s\n", mscale_last_error());
        return 1;
    }
    if (first > 1) printf("goes on with step %llu\n", (unsigned long long)first);
    run(&plate, first, strtoul(words[2], NULL, 10), count > 3 ? strtoul(words[3], NULL, 10) : 0,
        count > 4 ? strtoul(words[4], NULL, 10) : 0);
    mscale_finalize();
    return 0;
}
