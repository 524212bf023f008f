package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// writeFile writes a file as a whole or not at all: beside the target, then renamed over it. A
// target that is no regular file, such as /dev/null or a pipe, is written to directly. The path
// "-" means standard output.
func writeFile(path string, stdout io.Writer, write func(io.Writer) error) error {
	if path == "-" {
		return write(stdout)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return writeDevice(path, info, write)
	}
	temporary := temporaryName(path)
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return cannotWrite(path, err)
	}
	err = errors.Join(write(file), file.Close())
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		os.Remove(temporary)
		return cannotWrite(path, err)
	}
	return nil
}

func writeDevice(path string, info os.FileInfo, write func(io.Writer) error) error {
	if info.IsDir() {
		return cannotWrite(path, errors.New("it is a directory"))
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return cannotWrite(path, err)
	}
	if err := errors.Join(write(file), file.Close()); err != nil {
		return cannotWrite(path, err)
	}
	return nil
}

// checkWritable finds out before a long run whether writeFile will be able to write path.
func checkWritable(path string) error {
	if path == "" || path == "-" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		if info.IsDir() {
			return cannotWrite(path, errors.New("it is a directory"))
		}
		return nil
	}
	temporary := temporaryName(path)
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return cannotWrite(path, err)
	}
	return errors.Join(file.Close(), os.Remove(temporary))
}

func temporaryName(path string) string {
	return filepath.Join(
		filepath.Dir(path), fmt.Sprintf(".%s.%d.tmp", filepath.Base(path), os.Getpid()),
	)
}

func cannotWrite(path string, err error) error {
	var pathError *os.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err // its path is the temporary one, which means nothing to the user
	}
	return fmt.Errorf("cannot write %s: %w", path, err)
}
