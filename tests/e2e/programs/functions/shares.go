// Three quarters of the additions are in heavy, one quarter below light, both of goroutines.
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
func leaf(sum float64, n int) float64 {
	for i := 1; i < n; i++ {
		sum += 0.25
	}
	return sum
}

//go:noinline
func light(n int) float64 {
	sum := 0.0
	for i := 1; i < n; i++ {
		sum = leaf(sum, 100000)
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
			light(1000)
		}()
	}
	wait.Wait()
	fmt.Println("done")
	os.Exit(3)
}
