package emit

import (
	"bytes"
	_ "embed"
	"io"

	"github.com/sluicefc/sluice/tofino/ir"
)

//go:embed python/load.py
var loader []byte

// File is a file of a program, as [Files] returns it. The name has the folder, if it is in one:
// "add/Ingress.afc.json".
type File = ir.File

// Loader returns the text of the loader, a script of Python 3 on bfrt_grpc.client that writes a
// list of entries and reads it back. The script knows no program.
func Loader() []byte { return bytes.Clone(loader) }

// Files returns all files of a program and its configuration, which must be valid:
//
//	NAME.p4          the program as it was read, and beside it the files that it includes
//	entries.json     its entries ([Entries])
//	load.py          the loader of such lists ([Loader])
//	NAME_bfrt.py     the same for bfrt_python ([Script])
//	add/TABLE.json   the entries of one table, for its add_from_json
func Files(p *ir.Program, cfg *ir.Config) ([]File, error) {
	files := []File{{Name: "load.py", Content: Loader()}}
	for at, text := range p.Text {
		if at == 0 {
			text.Name = p.Name + ".p4"
		}
		files = append(files, text)
	}
	for _, one := range []struct {
		name  string
		write func(io.Writer, *ir.Program, *ir.Config) error
	}{
		{"entries.json", Entries},
		{p.Name + "_bfrt.py", Script},
	} {
		var b bytes.Buffer
		if err := one.write(&b, p, cfg); err != nil {
			return nil, err
		}
		files = append(files, File{Name: one.name, Content: b.Bytes()})
	}
	names := NamesOf(p)
	for _, filled := range cfg.Tables {
		if len(filled.Entries) == 0 {
			continue
		}
		var b bytes.Buffer
		if err := AddFromJSON(&b, filled, names); err != nil {
			return nil, err
		}
		name := names.Tables[filled.Table].Name[len("pipe."):]
		files = append(files, File{Name: "add/" + name + ".json", Content: b.Bytes()})
	}
	return files, nil
}

// AddFromJSON writes the entries of one table of a program as the text that add_from_json of
// bfrt_python reads. The text only adds entries: it has neither the default nor registers.
func AddFromJSON(w io.Writer, filled ir.TableConfig, names Names) error {
	l, e := newLines(&ir.Config{Tables: []ir.TableConfig{filled}}), &entry{}
	l.bare = true
	for at := range filled.Entries {
		e.ofTable(filled.Table, "add", &filled.Entries[at], names)
		l.add(e)
	}
	return l.write(w)
}
