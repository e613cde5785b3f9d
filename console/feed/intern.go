// SPDX-License-Identifier: Apache-2.0

package feed

// interned is texts that many objects have in common, such as the names of hosts: each is kept once.
type interned map[string]string

// maxInterned is the maximum number of texts; then the table is reset.
const maxInterned = 100000

// intern replaces each text by the one that is kept.
func (w *interned) intern(texts ...*string) {
	for _, text := range texts {
		if *text == "" {
			continue
		}
		kept, known := (*w)[*text]
		if !known {
			if *w == nil || len(*w) >= maxInterned {
				*w = interned{}
			}
			(*w)[*text], kept = *text, *text
		}
		*text = kept
	}
}
