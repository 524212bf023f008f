package pages

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"

	"github.com/sluicefc/sluice/internal/lab/run"
)

const htmlHead = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>sluice: results</title><style>
body { font: 16px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; font-size: 85%; }
td, th { border: 1px solid #ccc; padding: 0.2em 0.6em; text-align: left; }
img { max-width: 100%; } code, pre { background: #f4f4f4; } pre { padding: 0.6em; }
</style></head><body>
`

// WriteHTML makes the pages of what is kept once more, for a browser, in a folder of their own:
// what stands in the Markdown, with the pictures inside of each file.
func WriteHTML(l *run.Library, dir, folder string) error {
	all, err := render(l, dir, folder)
	if err != nil {
		return err
	}
	made := map[string]string{} // HTML by the path of the Markdown
	for _, p := range all {
		name := strings.TrimSuffix(filepath.Base(p.name), ".md")
		if name == "README" {
			name = "index"
		}
		made[filepath.Clean(p.name)] = filepath.Join(folder, name+".html")
	}
	for _, p := range all {
		content, err := toHTML(p, made)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if err := write(made[filepath.Clean(p.name)], content); err != nil {
			return err
		}
	}
	return nil
}

// toHTML converts a page. Links to other pages go to their HTML, other links to where the file is,
// and pictures are inside.
func toHTML(p page, made map[string]string) ([]byte, error) {
	own := made[filepath.Clean(p.name)]
	markdown := goldmark.New(
		goldmark.WithExtensions(extension.Table),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(html.WithUnsafe()), // pictures that are inside; the text is ours
	)
	document := markdown.Parser().Parse(
		text.NewReader(p.content), parser.WithContext(parser.NewContext(parser.WithIDs(anchors{}))),
	)
	err := ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		var err error
		switch n := n.(type) {
		case *ast.Link:
			if entering {
				n.Destination, err = relink(string(n.Destination), p.name, own, made)
			}
		case *ast.Image:
			if entering {
				n.Destination, err = inside(filepath.Join(filepath.Dir(p.name), string(n.Destination)))
			}
		}
		return ast.WalkContinue, err
	})
	if err != nil {
		return nil, err
	}
	b := bytes.NewBufferString(htmlHead)
	if err := markdown.Renderer().Render(b, p.content, document); err != nil {
		return nil, err
	}
	b.WriteString("</body></html>\n")
	return b.Bytes(), nil
}

// relink returns where a link of a page leads from its HTML.
func relink(link, from, own string, made map[string]string) ([]byte, error) {
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "" || u.Path == "" {
		return []byte(link), err
	}
	target := filepath.Join(filepath.Dir(from), filepath.FromSlash(u.Path))
	if html := made[target]; html != "" {
		target = html
	}
	base, err := filepath.Abs(filepath.Dir(own))
	if err != nil {
		return nil, err
	}
	if target, err = filepath.Abs(target); err != nil {
		return nil, err
	}
	relative, err := filepath.Rel(base, target)
	u.Path = filepath.ToSlash(relative)
	return []byte(u.String()), err
}

// inside returns a picture as an address that contains it.
func inside(picture string) ([]byte, error) {
	content, err := os.ReadFile(picture)
	return []byte("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(content)), err
}

// anchors names headings as the links between the pages do, which is as forges do.
type anchors struct{}

func (anchors) Generate(heading []byte, _ ast.NodeKind) []byte {
	return []byte(anchor(strings.ToLower(strings.ReplaceAll(string(heading), " ", "-"))))
}

func (anchors) Put([]byte) {}
