package pages

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
)

// Compare runs again what is kept, cheapest first, and says of each seed whether the same came out.
// It changes nothing. Without Seeds it runs all that are kept. It is an error if a run differs, or
// if nothing that is kept was asked for.
func Compare(c Config) error {
	plans, err := c.plan()
	if err != nil {
		return err
	}
	var units []unit
	for _, p := range plans {
		switch {
		case len(p.entry.Runs) == 0:
			c.Say(p.name() + ": nothing is kept; with -write it is run and kept")
			continue
		case p.entry.Stale != "":
			c.Say(fmt.Sprintf("%s is stale, and not compared: %s; with -write it is run anew",
				p.name(), p.entry.Stale))
			continue
		}
		if len(c.Names) > 0 && p.entry.Code != p.code {
			c.Say(p.name() + ": what is kept is by older code, " + p.entry.By())
		}
		for _, r := range p.entry.Runs {
			if len(c.Seeds) == 0 || slices.Contains(c.Seeds, r.Seed) {
				units = append(units, unit{p, r.Seed})
			}
		}
		for _, seed := range c.Seeds {
			if !p.entry.has(seed) {
				c.Say(fmt.Sprintf("%s, seed %d: not kept; with -write it is run and kept", p.name(), seed))
			}
		}
	}
	if len(units) == 0 {
		return fmt.Errorf("of %d entries there is nothing to compare", len(plans))
	}
	var mutex sync.Mutex
	equal, differ := 0, 0
	err = c.each(units, func(u *unit) error {
		r, rows, _, err := u.once(&c)
		if err != nil {
			return err
		}
		mutex.Lock()
		defer mutex.Unlock()
		differences := u.entry.differences(u.seed, rows)
		if len(differences) == 0 {
			equal++
			c.Say(fmt.Sprintf("%s, seed %d: equal (%.1f s)", u.name(), u.seed, r.Seconds))
			return nil
		}
		differ++
		const most = 3
		text := strings.Join(differences[:min(most, len(differences))], "; ")
		if more := len(differences) - most; more > 0 {
			text += fmt.Sprintf("; and %d more", more)
		}
		c.Say(fmt.Sprintf("%s, seed %d: differs (%.1f s): %s", u.name(), u.seed, r.Seconds, text))
		return nil
	})
	if err == nil && differ > 0 {
		err = fmt.Errorf("%d of %d runs differ from what is kept; -write keeps what came out",
			differ, equal+differ)
	}
	return err
}

// differences says in which cells what came out for a seed is not what is kept.
func (e *Entry) differences(seed uint64, rows []Row) (all []string) {
	for i := range rows {
		own := e.row(rows[i].cell())
		came, kept := rows[i].Values[int64(seed)], any(nil)
		if own != nil {
			kept = own.Values[int64(seed)]
		}
		if !same(kept, came) {
			line, column := lineOf(rows[i].cell())
			all = append(all, fmt.Sprintf("%s, %s: %s is kept, %s came out",
				line, column, orNothing(kept), orNothing(came)))
		}
	}
	return all
}

// same reports whether two values of a seed are the same number or words.
func same(a, b any) bool {
	x, isNumber := a.(float64)
	y, isToo := b.(float64)
	if isNumber && isToo {
		return cmp.Compare(x, y) == 0 || math.IsNaN(x) && math.IsNaN(y)
	}
	return a == b
}

func orNothing(value any) string {
	if value == nil {
		return "nothing"
	}
	return fmt.Sprint(value)
}
