// Package agenda is what will happen in a network of tests, by time.
package agenda

import (
	"container/heap"

	"github.com/sluicefc/sluice"
)

// Agenda is what will happen, by time; what happens at one time is in the order in which it was
// planned. The zero Agenda is empty.
type Agenda[T any] struct {
	entries entries[T]
	planned int
}

type entry[T any] struct {
	at    sluice.Time
	order int
	what  T
}

// Plan adds what happens at a time.
func (a *Agenda[T]) Plan(at sluice.Time, what T) {
	a.planned++
	heap.Push(&a.entries, entry[T]{at, a.planned, what})
}

// Take removes what happens first, of at least one.
func (a *Agenda[T]) Take() (at sluice.Time, what T) {
	e := heap.Pop(&a.entries).(entry[T])
	return e.at, e.what
}

// Next returns when something happens next, Never if nothing will.
func (a *Agenda[T]) Next() sluice.Time {
	if len(a.entries) == 0 {
		return sluice.Never
	}
	return a.entries[0].at
}

// Due reports whether something happens at a time or before.
func (a *Agenda[T]) Due(at sluice.Time) bool { return !a.Empty() && a.entries[0].at <= at }

// Last returns when something happens last, 0 if nothing will. O(what is planned).
func (a *Agenda[T]) Last() (at sluice.Time) {
	for _, e := range a.entries {
		at = max(at, e.at)
	}
	return at
}

// Empty reports whether nothing will happen.
func (a *Agenda[T]) Empty() bool { return len(a.entries) == 0 }

// Planned returns how often Plan was called.
func (a *Agenda[T]) Planned() int { return a.planned }

// entries are a heap.Interface.
type entries[T any] []entry[T]

func (e entries[T]) Len() int { return len(e) }
func (e entries[T]) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].order < e[j].order
}
func (e entries[T]) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *entries[T]) Push(x any)   { *e = append(*e, x.(entry[T])) }
func (e *entries[T]) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}
