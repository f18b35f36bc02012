/* A program of MPI 5's standard ABI: handles are as wide as addresses. Linked with the stub of tests/os. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

extern int MPI_Init_thread(int *, char ***, int, int *);
extern int MPI_Finalize(void);
extern int MPI_Allreduce(const void *, void *, int, uintptr_t, uintptr_t, uintptr_t);

int main(void) {
    double mine = 2, sum = 0;
    int provided, i, failed = MPI_Init_thread(NULL, NULL, 1024, &provided);
    for (i = 0; i < 3; i++) failed |= MPI_Allreduce(&mine, &sum, 1, 0x214, 0x22, 0x101);
    failed |= MPI_Finalize();
    printf("%d\n", failed);
    return 0;
}
