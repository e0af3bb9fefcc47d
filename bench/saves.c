/* Saves of a small state, one after the other is committed: saves COUNT BYTES [PAUSE_AT...].  Prints the time from the end of each
 * save to its commit, in microseconds, and rests for two seconds after each save of PAUSE_AT, so that memory can be read.
 */
#include <mscale/mscale.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static void rest_us(long microseconds)
{
    const struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    nanosleep(&time, NULL);
}

/* Both slots may be held until an earlier save is committed. */
static mscale_status save(uint64_t step, const void *state, size_t bytes)
{
    mscale_status status;
    while ((status = mscale_start_save(step)) == MSCALE_BUSY) rest_us(500);
    if (status == MSCALE_OK) status = mscale_put("state", state, bytes, MSCALE_OPAQUE, NULL);
    return status == MSCALE_OK ? mscale_complete_save(1) : status;
}

/* 0 when the step wasn't committed within a minute. */
static int await_commit(uint64_t step)
{
    uint64_t committed = 0;
    const double until = now_us() + 60e6;
    while (mscale_committed(&committed) != MSCALE_OK || committed < step) {
        if (now_us() > until) return 0;
        rest_us(200);
    }
    return 1;
}

static int is_pause(uint64_t step, int count, char **words)
{
    for (int i = 3; i < count; ++i)
        if (strtoull(words[i], NULL, 10) == step) return 1;
    return 0;
}

int main(int count, char **words)
{
    if (count < 3) return 2;
    const uint64_t saves = strtoull(words[1], NULL, 10);
    const size_t bytes = strtoull(words[2], NULL, 10);
    char *const state = calloc(bytes, 1);
    mscale_options options = MSCALE_OPTIONS_INIT;
    options.state_bytes = bytes;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!state || mscale_init(&options) != MSCALE_OK) {
        fprintf(stderr, "saves: %s\n", mscale_last_error());
        return 1;
    }
    for (uint64_t step = 1; step <= saves; ++step) {
        state[step % bytes] = (char)step;
        if (save(step, state, bytes) != MSCALE_OK) {
            fprintf(stderr, "saves: step %llu: %s\n", (unsigned long long)step, mscale_last_error());
            return 1;
        }
        const double began = now_us();
        if (!await_commit(step)) return 1;
        printf("commit %llu %.0f\n", (unsigned long long)step, now_us() - began);
        if (is_pause(step, count, words)) rest_us(2000000);
    }
    mscale_finalize();
    return 0;
}
