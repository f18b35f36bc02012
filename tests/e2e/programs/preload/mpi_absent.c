/*
 * Which calls of MPI are there? Modules that are loaded later ask by weak references, as mpi4py's do, and
 * by dlsym(3). Built twice: as the program, and with -DMODULE as ./module.so.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

#define LIST(X)                                                                                    \
    X(MPI_Send) X(MPI_Send_c) X(MPI_Alltoallv_c) X(MPI_Session_init) X(MPI_Pready)                 \
    X(MPI_Allreduce_init) X(MPI_Buffer_flush) X(MPI_Isendrecv) X(MPI_File_write_c)

#define WEAK(name) extern __typeof__(int(long)) weak_##name __asm__(#name) __attribute__((weak));
LIST(WEAK)

int ask(int *argc, char ***argv);

#ifdef MODULE
int ask(int *argc, char ***argv) {
    MPI_Init(argc, argv);
#define SAY(name) printf("%s %d %d\n", #name, weak_##name != 0, dlsym(RTLD_DEFAULT, #name) != NULL);
    LIST(SAY)
    MPI_Finalize();
    return 0;
}
#else
int main(int argc, char **argv) {
    void *module = dlopen("./module.so", RTLD_NOW);
    int (*asks)(int *, char ***) =
        module ? (int (*)(int *, char ***))dlsym(module, "ask") : NULL;
    return asks ? asks(&argc, &argv) : 1;
}
#endif
