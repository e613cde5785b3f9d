// SPDX-License-Identifier: Apache-2.0

package auth

import "testing"

func TestHashes(t *testing.T) {
	cheap := cost{Memory: 8, Passes: 1, Threads: 1}
	hash := cheap.hash("correct horse")
	if !matches(hash, "correct horse") || matches(hash, "correct hors") || matches(hash, "") || hash == cheap.hash("correct horse") {
		t.Errorf("%s does not distinguish passwords", hash)
	}
	if c, _, _, err := parseHash(ordinary.text(make([]byte, saltBytes), make([]byte, keyBytes))); err != nil || c != ordinary {
		t.Errorf("the ordinary cost: %+v, %v", c, err)
	}
}

// No text that the store may hold costs more than the bounds, or is read otherwise than it was written.
func FuzzParseHash(f *testing.F) {
	f.Add(ordinary.text(make([]byte, saltBytes), make([]byte, keyBytes)))
	f.Add("$argon2id$v=19$m=4294967295,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA")
	f.Add("$argon2id$v=19$m=8,t=0,p=0$$")
	f.Fuzz(func(t *testing.T, text string) {
		c, salt, key, err := parseHash(text)
		if err == nil && (c.text(salt, key) != text || c.Memory > maxMemory || c.Passes > maxPasses || c.Passes == 0 || c.Threads == 0) {
			t.Errorf("%q is read as %+v", text, c)
		}
	})
}
