/* Heat in many rods, cut among the ranks: a run of one number of ranks is gone on with by another number.
 *
 *     cc -O2 rods.c -o rods $(pkg-config --cflags --libs mscale)
 *     srun -n 4 rods RODS POINTS STEPS [PAUSE [DIARY]]
 *
 * Each rank has its part of the rods, which is a part of one tensor of RODS x POINTS numbers; the same conductivity as all
 * others, which is shared; and its own place among the samples that the job goes through, a cursor.  It prints the samples of
 * each step, and at the end the heat of each of its rods, exactly.  PAUSE is in milliseconds after each step.  With a DIARY it
 * saves a text of its own, too, which is opaque: then only as many ranks as wrote it can go on.
 */
#include <mscale/mscale.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { samples_of_epoch = 12 * 5 * 7, samples_of_step = 12 };

struct field {
    uint64_t rods, points; /* of all ranks */
    uint64_t first, own;   /* of this one */
    double *now, *next;
    double conductivity;
    mscale_cursor cursor;
    const char *diary;
};

static size_t bytes_of(const struct field *field)
{
    return field->own * field->points * sizeof(double);
}

/* What this rank has of the whole. */
static void cut(struct field *field, uint64_t rank, uint64_t ranks)
{
    field->first = field->rods * rank / ranks;
    field->own = field->rods * (rank + 1) / ranks - field->first;
    const mscale_cursor begin = {.samples = samples_of_epoch, .seed = 1, .rank = (uint32_t)rank, .ranks = (uint32_t)ranks,
                                 .batch = (uint32_t)(samples_of_step / ranks)};
    field->cursor = begin;
}

static int fill(struct field *field)
{
    field->now = calloc(field->own * field->points + 1, sizeof(double));
    field->next = calloc(field->own * field->points + 1, sizeof(double));
    if (!field->now || !field->next) return 0;
    for (uint64_t i = 0; i < field->own * field->points; ++i)
        field->now[i] = field->next[i] = (double)((field->first * field->points + i) % 97);
    return 1;
}

static void advance(struct field *field)
{
    for (uint64_t rod = 0; rod < field->own; ++rod) {
        const double *const now = field->now + rod * field->points;
        double *const next = field->next + rod * field->points;
        for (uint64_t i = 1; i + 1 < field->points; ++i)
            next[i] = now[i] + field->conductivity * (now[i - 1] - 2 * now[i] + now[i + 1]);
    }
    double *const before = field->now;
    field->now = field->next;
    field->next = before;
}

/* The part of the whole that this rank has, with the numbers that it points to. */
struct part {
    uint64_t whole[2], offset[2], shape[2];
    mscale_tensor tensor;
};

static void describe(struct part *part, const struct field *field)
{
    const struct part described = {{field->rods, field->points}, {field->first, 0}, {field->own, field->points},
                                   {MSCALE_F64, 2, NULL, NULL, NULL}};
    *part = described;
    part->tensor.global = part->whole;
    part->tensor.offset = part->offset;
    part->tensor.shape = part->shape;
}

/* What goes wrong with a snapshot is told and ends nothing. */
static void save(const struct field *field, uint64_t step)
{
    struct part part;
    describe(&part, field);
    mscale_status status = mscale_start_save(step);
    if (status == MSCALE_BUSY) return;
    if (status == MSCALE_OK) status = mscale_put("rods", field->now, bytes_of(field), MSCALE_TENSOR, &part.tensor);
    if (status == MSCALE_OK)
        status = mscale_put("conductivity", &field->conductivity, sizeof field->conductivity, MSCALE_SHARED, NULL);
    if (status == MSCALE_OK) status = mscale_put_cursor("samples", &field->cursor);
    if (status == MSCALE_OK && field->diary) status = mscale_put("diary", field->diary, strlen(field->diary), MSCALE_OPAQUE, NULL);
    if (status == MSCALE_OK) status = mscale_complete_save(1);
    if (status != MSCALE_OK) fprintf(stderr, "rods: step %" PRIu64 ": %s\n", step, mscale_last_error());
}

/* However many ranks wrote it. */
static int take(struct field *field)
{
    struct part part;
    char diary[1024];
    describe(&part, field);
    return mscale_start_restart() == MSCALE_OK &&
           (!field->diary || mscale_get_part("diary", diary, strlen(field->diary), NULL) == MSCALE_OK) &&
           mscale_get_part("rods", field->now, bytes_of(field), &part.tensor) == MSCALE_OK &&
           mscale_get_part("conductivity", &field->conductivity, sizeof field->conductivity, NULL) == MSCALE_OK &&
           mscale_get_cursor("samples", field->cursor.batch, &field->cursor) == MSCALE_OK;
}

/* The first step to run, or 0 when the program must not start. */
static uint64_t restore(struct field *field)
{
    uint64_t step = 0;
    mscale_status status;
    while ((status = mscale_have_restart(&step)) == MSCALE_OK) {
        const int32_t writers = mscale_writers();
        const int valid = take(field);
        if (!valid) fprintf(stderr, "rods: step %" PRIu64 ": %s\n", step, mscale_last_error());
        status = mscale_complete_restart(valid);
        if (status == MSCALE_OK && valid) {
            memcpy(field->next, field->now, bytes_of(field)); /* the ends of the rods are used too */
            printf("goes on with step %" PRIu64 " of %" PRId32 " ranks\n", step + 1, writers);
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

/* The step's samples, by their places in the epoch. */
static void train(struct field *field, uint64_t step)
{
    uint64_t begin = 0, end = 0;
    mscale_next_samples(&field->cursor, 0, &begin, &end);
    advance(field);
    printf("step %" PRIu64 " epoch %" PRIu64 " samples %" PRIu64 " to %" PRIu64 "\n", step, field->cursor.epoch, begin, end);
    mscale_finish_step(&field->cursor);
}

static void run(struct field *field, uint64_t first, uint64_t steps, unsigned long pause)
{
    for (uint64_t step = first; step <= steps; ++step) {
        train(field, step);
        rest(pause);
        mscale_progress(step);
        if (mscale_need_save(step)) save(field, step);
        if (mscale_should_exit()) return;
    }
    for (uint64_t rod = 0; rod < field->own; ++rod) {
        double sum = 0;
        for (uint64_t i = 0; i < field->points; ++i) sum += field->now[rod * field->points + i];
        printf("rod %" PRIu64 " heat %a\n", field->first + rod, sum);
    }
}

/* Outside of a job mscale_rank is 0 of 1, unless the environment says more. */
static mscale_status begin(const struct field *field)
{
    mscale_options options = MSCALE_OPTIONS_INIT;
    options.state_bytes = field->rods * field->points * sizeof(double) + 65536;
    options.flags = MSCALE_ELASTIC;
    return mscale_init(&options);
}

int main(int count, char **words)
{
    if (count < 4) {
        fprintf(stderr, "usage: rods RODS POINTS STEPS [PAUSE [DIARY]]\n");
        return 2;
    }
    struct field field = {.rods = strtoull(words[1], NULL, 10), .points = strtoull(words[2], NULL, 10), .conductivity = 0.25,
                          .diary = count > 5 ? words[5] : NULL};
    setvbuf(stdout, NULL, _IOLBF, 0);
    const mscale_status status = begin(&field);
    const int may_start = status == MSCALE_OK || status == MSCALE_OUTSIDE;
    if (may_start) cut(&field, (uint64_t)mscale_rank(), (uint64_t)mscale_ranks());
    const uint64_t first = may_start && fill(&field) ? restore(&field) : 0;
    if (first == 0) {
        fprintf(stderr, "rods: %s\n", mscale_last_error());
        return 1;
    }
    run(&field, first, strtoull(words[3], NULL, 10), count > 4 ? strtoul(words[4], NULL, 10) : 0);
    mscale_finalize();
    return 0;
}
