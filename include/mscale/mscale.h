/* mscale: snapshots of a training's state in other nodes' memory, and the way back.
 *
 * A program of a Slurm job with a contract that says [ft] calls, in each rank:
 *
 *     mscale_init(NULL)
 *     while ((status = mscale_have_restart(&step)) == MSCALE_OK) {
 *         valid = mscale_start_restart() == MSCALE_OK && mscale_get(...) == MSCALE_OK ...;
 *         if (mscale_complete_restart(valid) == MSCALE_OK && valid) break;
 *     }
 *     if (status == MSCALE_REFUSED) ... end: what was expected can't be gone on from
 *     for (...) {                         (training steps are counted from 1)
 *         ... one training step ...
 *         mscale_progress(step);
 *         if (mscale_need_save(step)) { mscale_start_save(step); mscale_put(...)...; mscale_complete_save(1); }
 *         if (mscale_should_exit()) break;
 *     }
 *     mscale_finalize();
 *
 * The calls follow those of SCR (scr.readthedocs.io), so that a port is mechanical.  None is collective: a rank never waits
 * for another one in a save.  The library is to be called from one thread at a time, but for the calls of roles.  It starts
 * no thread and changes no environment variable.  From mscale_init to mscale_finalize it catches SIGTERM, SIGUSR1 and SIGUSR2,
 * by which Slurm says that the job will end, each only where it would end the program.
 */
#ifndef MSCALE_MSCALE_H
#define MSCALE_MSCALE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MSCALE_API __attribute__((visibility("default")))

/* What a call answers.  The numbers are part of the ABI. */
typedef enum mscale_status {
    MSCALE_OK = 0,
    MSCALE_DEGRADED = 1,    /* done, but the snapshot has fewer copies than promised, or none; the training goes on */
    MSCALE_BUSY = 2,        /* not now: the last snapshot is still being copied; save at a later step */
    MSCALE_NO_RESTART = 3,  /* there is nothing to go on from, and nothing was expected: start from the beginning */
    MSCALE_REFUSED = 4,     /* a snapshot was expected and none is usable, or the contract or the site says no: don't start */
    MSCALE_INVALID = 5,     /* calls in the wrong order, an unknown name, a wrong size */
    MSCALE_OUTSIDE = 6,     /* not in a job whose contract has [ft], or a role: every call is harmless and does nothing */
    MSCALE_SYSTEM = 7,      /* the system failed us */
    MSCALE_END = 8          /* nothing is left to be given (mscale/io.h) */
} mscale_status;

/* The text of the last call of this thread that answered neither MSCALE_OK nor MSCALE_NO_RESTART nor MSCALE_END: "MSC-R004: fact; cure".
 * Owned by the library, valid until the next call. */
MSCALE_API const char *mscale_last_error(void);

/* Where the rank and its peers come from when the program says so itself.  A field of -1 (or 0 for state_bytes) is looked up:
 * RANK and WORLD_SIZE (torchrun, accelerate, deepspeed), else PMIx, else SLURM_PROCID and SLURM_NTASKS.  Two sources that
 * disagree are MSCALE_INVALID. */
typedef struct mscale_options {
    size_t size;           /* sizeof(mscale_options), for later versions */
    int32_t rank, ranks;
    uint64_t state_bytes;  /* most that one save of this rank holds; 0: ft.state of the contract */
    uint64_t flags;        /* MSCALE_ELASTIC or 0 */
} mscale_options;
#define MSCALE_OPTIONS_INIT {sizeof(mscale_options), -1, -1, 0, 0}

/* The program can go on from what another number of ranks saved: it describes its tensors when it saves them, and takes its
 * part by mscale_get_part and mscale_get_cursor.  Said by all ranks alike.  Without it such a start is MSCALE_REFUSED. */
#define MSCALE_ELASTIC 1u

/* Joins the node's mscaled, which reserves and hands over this rank's memory and, after a loss, fetches its state back before
 * the call returns.  NULL takes all from the environment.  MSCALE_OUTSIDE outside of a job with [ft];
 * MSCALE_REFUSED with numbers when the memory doesn't fit, or when a snapshot was expected and none is usable. */
MSCALE_API mscale_status mscale_init(const mscale_options *options);

/* Leaves; what is committed stays with the keepers.  Where the job is to end, waits until the last save is committed.  Called
 * once, also after an error. */
MSCALE_API mscale_status mscale_finalize(void);

/* The rank and the number of ranks that mscale_init found. */
MSCALE_API int32_t mscale_rank(void);
MSCALE_API int32_t mscale_ranks(void);

/* What part of the state an extent is (elastic restore, man 3 mscale_put). */
typedef enum mscale_kind { MSCALE_OPAQUE = 0, MSCALE_TENSOR = 1, MSCALE_CURSOR = 2, MSCALE_SHARED = 3 } mscale_kind;
typedef enum mscale_type {
    MSCALE_BYTES = 0, MSCALE_F16, MSCALE_BF16, MSCALE_F32, MSCALE_F64, MSCALE_I8, MSCALE_U8, MSCALE_I16, MSCALE_I32, MSCALE_I64,
    MSCALE_BOOL, MSCALE_COMPLEX64, MSCALE_COMPLEX128
} mscale_type;

/* The shape of a tensor: this rank's part `shape` lies at `offset` of a tensor of shape `global`; `axes` numbers each, at
 * most 8. */
typedef struct mscale_tensor {
    mscale_type type;
    uint32_t axes;
    const uint64_t *global, *offset, *shape;
} mscale_tensor;

/* Begins a save of the state after training step `step`, which grows from save to save.  MSCALE_BUSY while the last one is
 * still being copied: this one is left out; only the save before the job's end waits for room, and may be tried again at the
 * same step. */
MSCALE_API mscale_status mscale_start_save(uint64_t step);
/* Copies `bytes` bytes in; the only time that the training waits.  Names are unique within a save, at most 512 bytes.
 * `tensor` is NULL unless kind is MSCALE_TENSOR. */
MSCALE_API mscale_status mscale_put(const char *name, const void *data, size_t bytes, mscale_kind kind,
                                    const mscale_tensor *tensor);
/* Ends the save.  `valid` 0 throws it away (this rank's part failed); the epoch is then never committed. */
MSCALE_API mscale_status mscale_complete_save(int valid);
/* 1 when a save is due after this step: by `ft.every` of the contract, or since the job is to end soon.  The same on all ranks
 * that ask after every step. */
MSCALE_API int mscale_need_save(uint64_t step);
/* The newest training step that is committed for the whole job; 0 and MSCALE_NO_RESTART when there is none. */
MSCALE_API mscale_status mscale_committed(uint64_t *step);

/* MSCALE_OK and the step of the snapshot to go on from (the next step to run is *step + 1), or MSCALE_NO_RESTART, or
 * MSCALE_REFUSED after a restore for which there was no snapshot left. */
MSCALE_API mscale_status mscale_have_restart(uint64_t *step);
MSCALE_API mscale_status mscale_start_restart(void);
/* The number of extents of the snapshot, and the name and size of each, in the order in which they were put. */
MSCALE_API size_t mscale_count(void);
MSCALE_API mscale_status mscale_describe(size_t index, const char **name, size_t *bytes, mscale_kind *kind);
/* Copies an extent out; `bytes` must be its size. */
MSCALE_API mscale_status mscale_get(const char *name, void *data, size_t bytes);

/* How many ranks wrote the snapshot that is to be gone on from, 0 when there is none.  Where it isn't mscale_ranks(),
 * mscale_count and mscale_describe list what all of them saved, each name once, a tensor with the size of the whole, which
 * mscale_get copies out. */
MSCALE_API int32_t mscale_writers(void);
/* The type and the shape of the whole tensor that an extent is a part of; `global` has room for 8 axes. */
MSCALE_API mscale_status mscale_describe_tensor(size_t index, mscale_type *type, uint32_t *axes, uint64_t *global);
/* Copies this rank's part out: of a tensor the part that `wanted` says, of the same type and global shape, whichever ranks
 * saved it; of an extent that is shared, with `wanted` NULL, that of any rank, after it was compared with those of all.
 * MSCALE_REFUSED, with the reason, where it can't be had: an opaque extent of another number of ranks, elements that no rank
 * saved, shared extents that aren't equal.  Where as many ranks go on as wrote it, each gets what it saved itself. */
MSCALE_API mscale_status mscale_get_part(const char *name, void *data, size_t bytes, const mscale_tensor *wanted);

/* Where a rank stands among the samples of the training.  Of each global batch of ranks x batch samples, in the order that
 * `seed` and `epoch` give, the rank takes the rank-th part. */
typedef struct mscale_cursor {
    uint64_t step, epoch, seed; /* when the job got this number of ranks: training steps done, passes over the data done */
    uint64_t samples;           /* of one epoch */
    uint64_t consumed;          /* of this epoch, by all ranks, when the job got this number of ranks */
    uint64_t batches;           /* trained since, all of the same epoch */
    uint32_t rank, ranks;
    uint32_t batch;             /* samples of one rank in one step */
    uint32_t reserved;          /* 0 */
} mscale_cursor;
/* The places in the epoch's order of the rank's next batch, or the one `ahead` of it: from *begin to before *end, none where
 * the epoch has no more for it.  Works without mscale_init, as does mscale_finish_step. */
MSCALE_API mscale_status mscale_next_samples(const mscale_cursor *cursor, uint64_t ahead, uint64_t *begin, uint64_t *end);
/* A step was trained.  After the last of an epoch the cursor stands at the first of the next. */
MSCALE_API mscale_status mscale_finish_step(mscale_cursor *cursor);
/* As mscale_put of kind MSCALE_CURSOR. */
MSCALE_API mscale_status mscale_put_cursor(const char *name, const mscale_cursor *cursor);
/* Where this rank goes on: as it was saved, or, where another number of ranks wrote it, the cursors of all ranks joined and
 * split anew for batches of `batch` (0: as before), so that no sample is lost or seen twice.  MSCALE_REFUSED when the ranks
 * had trained unequally. */
MSCALE_API mscale_status mscale_get_cursor(const char *name, uint32_t batch, mscale_cursor *cursor);
/* `valid` 0 says that this rank can't use the snapshot: the whole job then goes on from the next older one, which
 * mscale_have_restart gives.  MSCALE_BUSY when another rank couldn't use it, and the restore begins anew with the older one;
 * MSCALE_REFUSED when none is left. */
MSCALE_API mscale_status mscale_complete_restart(int valid);

/* Says that training step `step` is done: what the watch for hangs reads.  In a pause between steps, as for an evaluation, the same
 * step told again now and then says that the program lives.  Where the job is to end, waits a moment for the other
 * ranks, so that all leave after the same step. */
MSCALE_API mscale_status mscale_progress(uint64_t step);
/* 1 when the job is to end after this step (preemption, time limit, requeue): leave the loop.  mscale_need_save has asked for
 * the last save at the same step. */
MSCALE_API int mscale_should_exit(void);

/* Binds the calling thread to the cores that the job's plan gave `role` on this node, and its new memory to the role's NUMA
 * node; needs no privilege and no mscale_init, and may be called from any thread at any time.  Threads and processes that it
 * starts from then on inherit its place.  The worker is found by LOCAL_RANK, else SLURM_LOCALID; all threads that enter a role of
 * one worker share its cores.  MSCALE_OUTSIDE, and nothing is done, outside of a job whose contract has roles; MSCALE_INVALID
 * for a role that the contract doesn't have, with those it has.  After an error the thread is where it was. */
MSCALE_API mscale_status mscale_role_enter(const char *role);
/* Takes the calling thread back to where it was before the last mscale_role_enter that isn't undone; MSCALE_INVALID when there
 * is none. */
MSCALE_API mscale_status mscale_role_leave(void);

#ifdef __cplusplus
}
#endif
#endif
