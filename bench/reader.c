/* Reads a file once by mscale_io, in order: bench/reader FILE DEPTH BLOCK.  Prints MiB/s; on standard error, how it was read. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <mscale/io.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int count, char **words)
{
    mscale_io_options options = MSCALE_IO_OPTIONS_INIT;
    mscale_io *reader = NULL;
    mscale_io_piece piece;
    mscale_status status;
    unsigned long long bytes = 0;
    if (count != 4) return 2;
    options.depth = (uint32_t)atoi(words[2]);
    options.block = (uint32_t)atoi(words[3]);
    if (mscale_io_open(words[1], &options, &reader) != MSCALE_OK) {
        fprintf(stderr, "%s\n", mscale_last_error());
        return 1;
    }
    const double begin = now();
    mscale_io_start(reader, NULL, 0);
    while ((status = mscale_io_next(reader, &piece)) == MSCALE_OK) bytes += piece.bytes;
    const double took = now() - begin;
    fprintf(stderr, "%s\n", mscale_io_describe(reader));
    mscale_io_close(reader);
    if (status != MSCALE_END) return 1;
    printf("%.1f\n", (double)bytes / 1048576 / took);
    return 0;
}
