/* mscale_io: a file read ahead by io_uring, as deep as the contract says.
 *
 *     mscale_io_options options = MSCALE_IO_OPTIONS_INIT;
 *     options.role = "image_loader";
 *     mscale_io_open(path, &options, &reader);
 *     mscale_io_start(reader, NULL, 0);
 *     while ((status = mscale_io_next(reader, &piece)) == MSCALE_OK) use(piece.data, piece.bytes);
 *     if (status != MSCALE_END) ... mscale_last_error() says what and where
 *     mscale_io_close(reader);
 *
 * Needs no mscale_init and no job.  A reader is used by one thread at a time and by the process that opened it; several
 * readers may be used by several threads.
 */
#ifndef MSCALE_IO_H
#define MSCALE_IO_H

#include <mscale/mscale.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mscale_io mscale_io;

/* Reads go through the page cache, also where the file system takes direct reads. */
#define MSCALE_IO_BUFFERED 1u
/* Pieces are given as they come and not in the order in which they were asked for. */
#define MSCALE_IO_ANY_ORDER 2u

typedef struct mscale_io_options {
    size_t size;      /* sizeof(mscale_io_options), for later versions */
    const char *role; /* whose io_depth counts, on whose cores the kernel's workers run and on whose NUMA node the buffers lie;
                       * NULL: none.  Outside of a job with a contract it says nothing */
    uint32_t depth;   /* reads under way at once, at most 4096; 0: the role's io_depth, else 32 */
    uint32_t block;   /* the most bytes of one piece, at most 1 GiB; 0: 256 KiB */
    uint64_t flags;   /* MSCALE_IO_BUFFERED and MSCALE_IO_ANY_ORDER */
} mscale_io_options;
#define MSCALE_IO_OPTIONS_INIT {sizeof(mscale_io_options), NULL, 0, 0, 0}

/* Bytes of the file that are wanted as one piece. */
typedef struct mscale_io_extent {
    uint64_t offset, length;
} mscale_io_extent;

typedef struct mscale_io_piece {
    const void *data; /* the library's, until the next call for this reader */
    size_t bytes;
    uint64_t offset;  /* in the file */
    uint64_t index;   /* of the extent in the list, or of the block in the file, from 0 */
} mscale_io_piece;

/* Opens a regular file or a block device for reading, with buffers of its own.  Where io_uring can't be had it reads by preadv,
 * which mscale_io_describe says.  MSCALE_INVALID for wrong options, another kind of file, or a role that the contract doesn't
 * have; MSCALE_SYSTEM where the file can't be opened or memory is short.  *reader is NULL after an error. */
MSCALE_API mscale_status mscale_io_open(const char *path, const mscale_io_options *options, mscale_io **reader);
/* Begins to read the extents of the list, or, with NULL and 0, the whole file in blocks, as many ahead as the depth says.  The
 * list is copied.  What was begun before and isn't read yet is dropped.  MSCALE_INVALID, and nothing is begun, when an extent is
 * longer than a block or ends beyond the file. */
MSCALE_API mscale_status mscale_io_start(mscale_io *reader, const mscale_io_extent *extents, size_t count);
/* Waits for the next piece and gives it, whole.  MSCALE_END after the last one; MSCALE_SYSTEM, with file and place, where the
 * disk fails or the file has become shorter.  After an error no piece follows until mscale_io_start. */
MSCALE_API mscale_status mscale_io_next(mscale_io *reader, mscale_io_piece *piece);
/* The size of the file when it was opened, in bytes. */
MSCALE_API uint64_t mscale_io_size(const mscale_io *reader);
/* How the file is read, as a line for people: depth, block, by io_uring or why not, directly or through the page cache, whether
 * the buffers are registered.  The reader's, until the next call for it. */
MSCALE_API const char *mscale_io_describe(mscale_io *reader);
/* Waits for the reads that are under way, and frees all.  NULL is harmless. */
MSCALE_API void mscale_io_close(mscale_io *reader);

#ifdef __cplusplus
}
#endif
#endif
