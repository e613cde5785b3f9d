// SPDX-License-Identifier: Apache-2.0

package link

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
)

// keptSettings are the kernel settings that a Host requires to be on, by file.
type keptSettings struct {
	mu   sync.Mutex
	kept map[string]keptSetting
}

type keptSetting struct {
	value string // written if it is off
	or    string // a file that suffices if it is on; "": none
}

// Settings are the kernel settings that a Host has changed, or would have changed had they been off. They are Kept.
type Settings struct{ h *Host }

// Settings are those of EnableForwarding, LimitARP and AllowLoopback.
func (h *Host) Settings() Settings { return Settings{h} }

func (k *keptSettings) keep(file string, s keptSetting) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept[file] = s
}

func (k *keptSettings) release(file string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.kept, file)
}

func (k *keptSettings) copy() map[string]keptSetting {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.kept)
}

// off is the value that turns a setting of the kernel off.
const off = "0"

// isOff reports whether a setting is off in both its files. A setting whose interface is gone is not.
func (k keptSetting) isOff(file string) (bool, error) {
	for _, f := range []string{file, k.or} {
		if f == "" {
			continue
		}
		now, err := os.ReadFile(f)
		if errors.Is(err, fs.ErrNotExist) && f == file {
			return false, nil
		}
		if err != nil || strings.TrimSpace(string(now)) != off {
			return false, err
		}
	}
	return true, nil
}

// Drift lists the settings that others have turned off, by name. It changes nothing.
func (s Settings) Drift() (out []Drift, err error) {
	kept := s.h.settings.copy()
	if len(kept) == 0 {
		return nil, nil
	}
	err = s.h.ns.Do(func() error {
		for _, file := range slices.Sorted(maps.Keys(kept)) {
			isOff, err := kept[file].isOff(file)
			if err != nil {
				return fmt.Errorf("read setting %s: %w", Setting{File: file}.Name(), err)
			}
			if isOff {
				out = append(out, Drift{Name: Setting{File: file}.Name(), Was: []string{off}, Want: []string{kept[file].value}})
			}
		}
		return nil
	})
	return out, err
}

// Repair turns on a setting that Drift has named. It ignores one that is no longer required.
func (s Settings) Repair(name string) error {
	for file, k := range s.h.settings.copy() {
		if (Setting{File: file}).Name() == name {
			return wrap(s.h.ns.Do(func() error { return os.WriteFile(file, []byte(k.value), 0) }), "turn %s on", name)
		}
	}
	return nil
}
