// Package route plans the way of a parcel over the ferry network.
package route

import (
	"container/heap"
	"errors"
)

// ErrUnreachable means that no ferry goes there.
var ErrUnreachable = errors.New("route: unreachable")

// Network maps an island to its neighbours and the minutes to each.
type Network map[string]map[string]int

// Planner finds shortest paths in one network.
type Planner struct {
	network Network
}

// NewPlanner makes a planner for a network.
func NewPlanner(network Network) *Planner {
	return &Planner{network: network}
}

// DefaultNetwork is the timetable we started with.
func DefaultNetwork() Network {
	return Network{
		"north": {"south": 20, "reef": 45},
		"south": {"north": 20, "reef": 30},
		"reef":  {"south": 30, "lighthouse": 60},
	}
}

// Plan returns the islands of the quickest way, by Dijkstra's algorithm.
func (p *Planner) Plan(from, to string) ([]string, error) {
	best := map[string]int{from: 0}
	previous := map[string]string{}
	frontier := &stops{{from, 0}}
	for frontier.Len() > 0 {
		here := heap.Pop(frontier).(stop)
		if here.island == to {
			return walkBack(previous, from, to), nil
		}
		for next, minutes := range p.network[here.island] {
			total := here.minutes + minutes
			if known, seen := best[next]; !seen || total < known {
				best[next], previous[next] = total, here.island
				heap.Push(frontier, stop{next, total})
			}
		}
	}
	return nil, ErrUnreachable
}

func walkBack(previous map[string]string, from, to string) []string {
	path := []string{to}
	for path[0] != from {
		path = append([]string{previous[path[0]]}, path...)
	}
	return path
}
