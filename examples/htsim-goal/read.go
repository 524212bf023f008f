package main

import (
	"fmt"
	"strings"
)

// operation is a send, a receive or a computation of a rank.
type operation struct {
	kind       string
	rank, peer int
	amount     int64 // bytes, or nanoseconds of a computation
	tag        uint64
	waits      int          // operations that must end first
	then       []*operation // which wait for this one
}

// read reads a schedule.
func read(text string) (all []*operation, err error) {
	labels, rank := map[string]*operation{}, 0
	for number, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		o := &operation{rank: rank}
		switch {
		case len(words) == 0 || words[0] == "num_ranks" || words[0] == "}":
		case words[0] == "rank":
			labels = map[string]*operation{}
			_, err = fmt.Sscanf(line, "rank %d", &rank)
		case len(words) == 3 && words[1] == "requires":
			later, earlier := labels[words[0]], labels[words[2]]
			if later == nil || earlier == nil {
				return nil, fmt.Errorf("line %d: no such label", number+1)
			}
			later.waits++
			earlier.then = append(earlier.then, later)
		case len(words) > 2:
			labels[strings.TrimSuffix(words[0], ":")] = o
			all = append(all, o)
			o.kind = words[1]
			err = o.read(words[1:])
		default:
			return nil, fmt.Errorf("line %d: %q is no operation", number+1, line)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number+1, err)
		}
	}
	return all, nil
}

func (o *operation) read(words []string) (err error) {
	line := strings.Join(words, " ")
	switch o.kind {
	case "send":
		_, err = fmt.Sscanf(line, "send %db to %d tag %d", &o.amount, &o.peer, &o.tag)
	case "recv":
		_, err = fmt.Sscanf(line, "recv %db from %d tag %d", &o.amount, &o.peer, &o.tag)
	case "calc":
		_, err = fmt.Sscanf(line, "calc %d", &o.amount)
	default:
		err = fmt.Errorf("%q is no operation", o.kind)
	}
	return err
}
