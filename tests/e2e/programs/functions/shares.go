// Three quarters of the CPU time are in heavy, one quarter in light, both of goroutines.
package main

import (
	"fmt"
	"os"
	"sync"
)

//go:noinline
func heavy(n int) float64 {
	sum := 0.0
	for i := 1; i < n; i++ {
		sum += 0.5
	}
	return sum
}

//go:noinline
func leaf(x float64) float64 { return x + 0.25 }

//go:noinline
func light(n int) float64 {
	sum := 0.0
	for i := 1; i < n; i++ {
		sum = leaf(sum)
	}
	return sum
}

func main() {
	var wait sync.WaitGroup
	for i := 0; i < 4; i++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			heavy(300000000)
			light(60000000)
		}()
	}
	wait.Wait()
	fmt.Println("done")
	os.Exit(3)
}
