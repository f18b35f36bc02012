/* Two parallel loops in two functions: clang -fopenmp. */
#include <stdio.h>

static double data[100000];

__attribute__((noinline)) static void fill(int n) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++) data[i] = i;
}

__attribute__((noinline)) static double sum(int n) {
    double total = 0;
#pragma omp parallel for reduction(+ : total) schedule(static)
    for (int i = 0; i < n; i++) total += data[i];
    return total;
}

int main(void) {
    double total = 0;
    for (int step = 0; step < 20; step++) {
        fill(100000);
        total += sum(100000);
    }
    printf("%.0f\n", total);
    return 0;
}
