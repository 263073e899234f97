// Runs one DAG file with eino's compose.Graph, in a process of its own, and prints what it took as JSON:
// `eino DAG.json ROUNDS CONCURRENCY SECONDS`, as run-peer.mjs does. It cannot limit how many nodes run at once.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cloudwego/eino/compose"
)

type dagFile struct {
	Parents   [][]int   `json:"parents"`
	Durations []float64 `json:"durations"`
}

type values = map[string]any

func main() {
	dag := read(os.Args[1])
	rounds, _ := strconv.Atoi(os.Args[2])
	seconds, _ := strconv.ParseFloat(os.Args[4], 64)
	began := time.Now()
	var done atomic.Int64
	once := build(dag, &done)
	built := time.Since(began)
	times := []time.Duration{}
	limit := time.Duration(seconds * float64(time.Second))
	for len(times) == 0 || (len(times) < rounds && time.Since(began)+times[len(times)-1] < limit) {
		done.Store(0)
		start := time.Now()
		_, err := once.Invoke(context.Background(), values{"start": true})
		check(err)
		times = append(times, time.Since(start))
		if done.Load() != int64(len(dag.Parents)) {
			check(fmt.Errorf("expected %d tasks done, got %d", len(dag.Parents), done.Load()))
		}
	}
	slices.Sort(times)
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	check(json.NewEncoder(os.Stdout).Encode(map[string]float64{
		"ms":       milliseconds(times[len(times)/2]),
		"build_ms": milliseconds(built),
		"rss_mb":   float64(usage.Maxrss / 1024),
	}))
}

func read(file string) (dag dagFile) {
	text, err := os.ReadFile(file)
	check(err)
	check(json.Unmarshal(text, &dag))
	return dag
}

// A node for each task; one with several parents waits for all of them, and what they give is merged.
func build(dag dagFile, done *atomic.Int64) compose.Runnable[values, values] {
	graph := compose.NewGraph[values, values]()
	isParent := make([]bool, len(dag.Parents))
	name := func(task int) string { return fmt.Sprintf("t%d", task) }
	for task := range dag.Parents {
		check(graph.AddLambdaNode(name(task), compose.InvokableLambda(func(context.Context, values) (values, error) {
			if dag.Durations != nil {
				time.Sleep(time.Duration(dag.Durations[task] * float64(time.Millisecond)))
			}
			done.Add(1)
			return values{name(task): true}, nil
		})))
	}
	for task, above := range dag.Parents {
		if len(above) == 0 {
			check(graph.AddEdge(compose.START, name(task)))
		}
		for _, parent := range above {
			isParent[parent] = true
			check(graph.AddEdge(name(parent), name(task)))
		}
	}
	for task, is := range isParent {
		if !is {
			check(graph.AddEdge(name(task), compose.END))
		}
	}
	runnable, err := graph.Compile(context.Background(), compose.WithNodeTriggerMode(compose.AllPredecessor))
	check(err)
	return runnable
}

func milliseconds(time time.Duration) float64 { return float64(time.Nanoseconds()) / 1e6 }

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
