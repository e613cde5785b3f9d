package lab

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// cgroup is the control group, in every hierarchy, of the containers of a host's engine.
func (p *Plan) cgroup(host string) string { return filepath.Join(p.cgroups(), host) }

// cgroups is the control group of all containers of the lab's engines.
func (p *Plan) cgroups() string { return "contiv-lab-" + p.Name }

// endDocker removes the control groups that engines have left behind.
func (l *Lab) endDocker() error {
	hierarchies, err := filepath.Glob("/sys/fs/cgroup/*/" + l.cgroups())
	if err != nil {
		return err
	}
	var errs []error
	for _, top := range append(hierarchies, "/sys/fs/cgroup/"+l.cgroups()) {
		errs = append(errs, removeGroups(top))
	}
	return errors.Join(errs...)
}

// removeGroups removes a control group and those below it. What runs there has been killed, but may not have ended yet.
func removeGroups(top string) error {
	var groups []string
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && d.IsDir() {
			groups = append(groups, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	for i := len(groups) - 1; i >= 0; i-- {
		for end := time.Now().Add(stopPatience); ; time.Sleep(pollPause) {
			err := os.Remove(groups[i])
			if err == nil || errors.Is(err, fs.ErrNotExist) {
				break
			}
			if time.Now().After(end) {
				return err
			}
		}
	}
	return nil
}
