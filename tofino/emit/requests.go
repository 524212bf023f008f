package emit

import (
	"slices"

	"github.com/sluicefc/sluice/tofino/ir"
)

// Requests returns the requests that load the program's own tables and registers, with a
// compiler's numbers ([Names.Compiled]), and at most the given number of updates in each; 0 puts
// all into one. Entries are inserted, elements of registers
// modified. Program and configuration must be valid. Fixed tables are the driver's: their numbers
// are in its own schema, and a loader by name fills them.
func Requests(p *ir.Program, cfg *ir.Config, names Names, client uint32, most int) []WriteRequest {
	byPipe := map[uint32][]Update{}
	for _, filled := range cfg.Tables {
		for at := range filled.Entries {
			byPipe[AllPipes] = append(byPipe[AllPipes], inserted(filled.Table, &filled.Entries[at], names))
		}
		if filled.Default != nil {
			update := Update{Type: Modify, Table: names.Tables[filled.Table].ID, Default: true}
			update.act(filled.Table, *filled.Default, names)
			byPipe[AllPipes] = append(byPipe[AllPipes], update)
		}
	}
	for _, e := range cfg.Registers {
		pipe := uint32(AllPipes)
		if e.Pipe >= 0 {
			pipe = uint32(e.Pipe)
		}
		byPipe[pipe] = append(byPipe[pipe], written(e, names))
	}
	var requests []WriteRequest
	for _, pipe := range []uint32{AllPipes, 0, 1, 2, 3} {
		each := most
		if most <= 0 {
			each = max(len(byPipe[pipe]), 1)
		}
		for updates := range slices.Chunk(byPipe[pipe], each) {
			requests = append(requests, WriteRequest{Pipe: pipe, Client: client, Program: p.Name,
				Updates: updates})
		}
	}
	return requests
}

// inserted returns the update that adds an entry.
func inserted(t *ir.Table, e *ir.Entry, names Names) Update {
	update := Update{Type: Insert, Table: names.Tables[t].ID}
	for at, k := range t.Keys {
		width, v := k.X.Width(), e.Keys[at]
		key := KeyField{
			ID: names.field(names.Tables[t].Name, k.Name), Value: v.Value.Append(nil, width),
		}
		switch k.Kind {
		case ir.Ternary:
			key.Mask = v.Mask.Append(nil, width)
		case ir.Range:
			key.High = v.Mask.Append(nil, width)
		case ir.Prefix:
			key.LPM, key.Prefix = true, v.Bits
		}
		update.Key = append(update.Key, key)
	}
	if t.Prioritised() {
		update.Key = append(update.Key, KeyField{
			ID:    names.field(names.Tables[t].Name, matchPriority),
			Value: ir.Uint(uint64(e.Priority)).Append(nil, 32),
		})
	}
	update.act(t, e.Call, names)
	return update
}

// act sets the action and data of an update.
func (u *Update) act(t *ir.Table, c ir.Call, names Names) {
	action := names.Action(t, c.Action)
	u.Action = action.ID
	for at, param := range c.Action.Params {
		u.Data = append(u.Data, DataField{
			ID:    names.field(names.Tables[t].Name, action.Name, param.Name),
			Value: c.Data[at].Append(nil, param.Bits)})
	}
}

// written returns the update that writes an element of a register.
func written(e ir.RegisterEntry, names Names) Update {
	object := names.Registers[e.Register]
	update := Update{Type: Modify, Table: object.ID, Key: []KeyField{{
		ID:    names.field(object.Name, registerIndex),
		Value: ir.Uint(uint64(e.Index)).Append(nil, 32)}}}
	for at, name := range halves(e.Register, object) {
		update.Data = append(update.Data, DataField{ID: names.field(object.Name, name),
			Value: ir.Uint(uint64(e.Value[at])).Append(nil, e.Register.Bits)})
	}
	return update
}
