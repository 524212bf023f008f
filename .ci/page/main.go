// Command page bundles the page that package view writes: page.js and page.css from the TypeScript
// in the folder page and the libraries beside it. It is a module of its own, so that no other
// module needs the bundler and the browser.
//
//	go run .           writes both
//	go run . -check    fails if they are not what the sources give
package main

import (
	"bytes"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

const folder = "../../internal/lab/view"

func main() {
	check := flag.Bool("check", false, "compare, and write nothing")
	flag.Parse()
	if err := build(folder, *check); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// build bundles the page into a folder, or compares what is there.
func build(into string, check bool) error {
	if err := checkLibraries(filepath.Join(into, "page", "libs")); err != nil {
		return err
	}
	files, err := bundle(filepath.Join(into, "page"))
	if err != nil {
		return err
	}
	var errs []error
	for name, made := range files {
		path := filepath.Join(into, name)
		if !check {
			errs = append(errs, os.WriteFile(path, made, 0o666))
			continue
		}
		kept, err := os.ReadFile(path)
		if err == nil && !bytes.Equal(kept, made) {
			err = fmt.Errorf("%s is not what its sources give: run go generate in internal/lab/view", path)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func bundle(page string) (map[string][]byte, error) {
	page, err := filepath.Abs(page)
	if err != nil {
		return nil, err
	}
	common := api.BuildOptions{
		AbsWorkingDir: page, Bundle: true, MinifyWhitespace: true, MinifyIdentifiers: true,
		MinifySyntax: true, Target: api.ES2022, Charset: api.CharsetASCII,
		LegalComments: api.LegalCommentsInline,
		Alias:         map[string]string{"uplot": "./libs/uplot/uPlot.esm.js"},
		Format:        api.FormatIIFE, LogLevel: api.LogLevelSilent,
	}
	files := map[string][]byte{}
	for name, entry := range map[string]string{"page.js": "main.ts", "page.css": "style.css"} {
		options := common
		options.EntryPoints, options.Outfile = []string{entry}, filepath.Join(page, "..", name)
		if name == "page.js" {
			license, err := os.ReadFile(filepath.Join(page, "libs", "uplot", "LICENSE"))
			if err != nil {
				return nil, err
			}
			options.Banner = map[string]string{"js": "/* with uPlot:\n" + string(license) + "*/"}
		}
		result := api.Build(options)
		if len(result.Errors) > 0 {
			e := result.Errors[0]
			if e.Location != nil {
				return nil, fmt.Errorf("%s:%d: %s", e.Location.File, e.Location.Line, e.Text)
			}
			return nil, errors.New(e.Text)
		}
		text := result.OutputFiles[0].Contents
		if bytes.Contains(bytes.ToLower(text), []byte("</script")) {
			return nil, fmt.Errorf("%s would end the page's script", name)
		}
		files[name] = text
	}
	return files, nil
}

// checkLibraries compares every file of the libraries with the list of checksums beside them.
func checkLibraries(folder string) error {
	list, err := os.ReadFile(filepath.Join(folder, "SHA512SUMS"))
	if err != nil {
		return err
	}
	for _, line := range strings.Split(strings.TrimSpace(string(list)), "\n") {
		sum, name, ok := strings.Cut(line, "  ")
		if !ok {
			return fmt.Errorf("SHA512SUMS: %q is no checksum and name", line)
		}
		text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		digest := sha512.Sum512(text)
		if got := base64.StdEncoding.EncodeToString(digest[:]); got != sum {
			return fmt.Errorf("%s is not the file that was published", name)
		}
	}
	return nil
}
