/*
 * A small MPI of one process with the standard ABI's constants (MPI 5.0): every handle that comes in
 * must be the ABI's own, or the call fails. It stands for a library that none here has yet.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define WORLD 0x101
#define DOUBLE 0x214
#define BYTE 0x247
#define FUNNELED 1024
#define ERR_COMM 5
#define ERR_TYPE 3
#define ERR_OP 10
#define ERR_ARG 13
#define ERR_OTHER 16

typedef uint64_t handle;

static int good_comm(handle comm) { return comm == WORLD; }

static int size_of(handle type) { return type == DOUBLE ? 8 : type == BYTE ? 1 : 0; }

int MPI_Abi_get_version(int *major, int *minor) {
    *major = 1;
    *minor = 0;
    return 0;
}

int MPI_Get_library_version(char *text, int *length) {
    strcpy(text, "a stub of the standard ABI");
    *length = (int)strlen(text);
    return 0;
}

int MPI_Init_thread(void *argc, void *argv, int required, int *provided) {
    (void)argc;
    (void)argv;
    if (getenv("STUB_FAILS") || required != FUNNELED) return ERR_OTHER;
    *provided = required;
    return 0;
}

int MPI_Finalize(void) { return 0; }

int MPI_Abort(handle comm, int code) {
    (void)comm;
    exit(code);
}

int MPI_Comm_rank(handle comm, int *rank) {
    *rank = 0;
    return good_comm(comm) ? 0 : ERR_COMM;
}

int MPI_Comm_size(handle comm, int *size) {
    *size = 1;
    return good_comm(comm) ? 0 : ERR_COMM;
}

int MPI_Reduce(const void *send, void *receive, int count, handle type, handle op, int root,
               handle comm) {
    if (op != 0x21 || root != 0) return ERR_OP;
    if (type != DOUBLE) return ERR_TYPE;
    memcpy(receive, send, 8 * (size_t)count);
    return good_comm(comm) ? 0 : ERR_COMM;
}

int MPI_Allreduce(const void *send, void *receive, int count, handle type, handle op, handle comm) {
    if (op != 0x22 && op != 0x23) return ERR_OP;
    if (type != DOUBLE) return ERR_TYPE;
    memcpy(receive, send, 8 * (size_t)count);
    return good_comm(comm) ? 0 : ERR_COMM;
}

int MPI_Gatherv(const void *send, int count, handle type, void *receive, const int *counts,
                const int *places, handle into, int root, handle comm) {
    if (size_of(type) == 0 || type != into || root != 0) return ERR_TYPE;
    if (counts[0] != count) return ERR_ARG;
    memcpy((char *)receive + places[0], send, (size_t)count);
    return good_comm(comm) ? 0 : ERR_COMM;
}

int MPI_Bcast(void *buffer, int count, handle type, int root, handle comm) {
    (void)buffer;
    (void)count;
    if (size_of(type) == 0 || root != 0) return ERR_TYPE;
    return good_comm(comm) ? 0 : ERR_COMM;
}

int MPI_Send(const void *buffer, int count, handle type, int to, int tag, handle comm) {
    (void)buffer, (void)count, (void)type, (void)to, (void)tag, (void)comm;
    return ERR_OTHER;
}

int MPI_Recv(void *buffer, int count, handle type, int from, int tag, handle comm, void *status) {
    (void)buffer, (void)count, (void)type, (void)from, (void)tag, (void)comm, (void)status;
    return ERR_OTHER;
}
