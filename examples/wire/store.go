package main

import "github.com/sluicefc/sluice/kit"

// newStore returns a store whose items have room for a packet each, out of one piece of memory.
// They keep it: what Take returns has the room that the last user left.
func newStore(packets int) (*kit.Store[[]byte], error) {
	store, err := kit.NewStore[[]byte](packets)
	if err != nil {
		return nil, err
	}
	memory := make([]byte, packets*maxFrame)
	handles := make([]kit.Handle, packets)
	for i := range handles {
		handles[i], _ = store.Take()
		store.At(handles[i]).Value = memory[i*maxFrame : (i+1)*maxFrame : (i+1)*maxFrame]
	}
	for _, h := range handles {
		store.Release(h)
	}
	return store, nil
}
