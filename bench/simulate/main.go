// Command simulate calculates how much of each part an installation with many nodes needs, and which part is used up first. The
// figures of costs.json are measured on one machine, with three nodes. The rest is calculated: no installation of this size was run.
//
//	go run ./simulate             print the tables
//	go run ./simulate -measure    measure the figures again and write costs.json: about three minutes
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

type options struct {
	costs, bellhop                  string
	measure                         bool
	sessions, messages, invocations float64
	active                          float64
}

func main() {
	var o options
	flag.StringVar(&o.costs, "costs", "simulate/costs.json", "`file` with the measured figures")
	flag.BoolVar(&o.measure, "measure", false, "measure the figures and write the file")
	flag.StringVar(&o.bellhop, "bellhop", "../bin/bellhop", "`binary` to measure")
	flag.Float64Var(&o.sessions, "sessions", 10e6, "`number` of sessions of all nodes")
	flag.Float64Var(&o.messages, "messages", 100, "messages per second and node")
	flag.Float64Var(&o.invocations, "invocations", 20, "invocations per second and node")
	flag.Float64Var(&o.active, "active", 0.1, "share of the sessions that receive events")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := o.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(1) //nolint:gocritic // the context has nothing to end
	}
}

func (o options) run(ctx context.Context) error {
	if o.measure {
		c, err := measure(ctx, o.bellhop)
		if err != nil {
			return err
		}
		text, err := json.MarshalIndent(c, "", "\t")
		if err != nil {
			return err
		}
		if err := os.WriteFile(o.costs, append(text, '\n'), 0o644); err != nil {
			return err
		}
	}
	c, err := readCosts(o.costs)
	if err != nil {
		return err
	}
	fmt.Printf("Measured on %s, %s, revision %s. Calculated: all that follows.\n", c.Date, c.Machine, c.Revision)
	fmt.Printf("Each node: %.0f messages and %.0f invocations a second. All nodes: %.0f sessions of an hour, %.0f %% active.\n",
		o.messages, o.invocations, o.sessions, 100*o.active)
	fmt.Printf("A node has %d processors and 32 GiB, PostgreSQL %d, 10 Gbit/s and 500 MB/s for its log, Redis one thread.\n", nodeCores, postgresCores)
	for _, readers := range []int{1, 4, 0} {
		title := fmt.Sprintf("The sessions of each guild are on %d of the nodes. The others do not read its events:", readers)
		if readers == 0 {
			title = "Every guild has sessions on all nodes, so that every node reads every event:"
		}
		fmt.Printf("\n%s\n", title)
		plans := o.plans(readers)
		if err := c.write(os.Stdout, plans); err != nil {
			return err
		}
		c.writeLimits(os.Stdout, plans[0])
	}
	return nil
}

const (
	nodeCores     = 8
	postgresCores = 64
)

// plans returns the installations of a table. Each event is for the sessions of a number of nodes, 0 for all.
func (o options) plans(readers int) (list []plan) {
	for _, nodes := range []int{10, 100, 1000} {
		list = append(list, plan{
			Nodes: nodes, Sessions: o.sessions, SessionTime: time.Hour, Active: o.active, Messages: o.messages, Invocations: o.invocations,
			NodeCores: nodeCores, PostgresCore: postgresCores, NodeMemory: 32 << 30, Network: 10e9 / 8, Disk: 500e6, Readers: readers,
		})
	}
	return list
}

// readCosts reads measured figures.
func readCosts(file string) (c costs, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(text, &c)
}
