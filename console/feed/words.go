package feed

// words are texts that many objects have in common, such as the names of hosts: each is kept once.
type words map[string]string

// wordsLimit is how many are remembered; then it begins anew.
const wordsLimit = 100000

// share replaces each text by the one that is kept.
func (w *words) share(texts ...*string) {
	for _, text := range texts {
		if *text == "" {
			continue
		}
		kept, known := (*w)[*text]
		if !known {
			if *w == nil || len(*w) >= wordsLimit {
				*w = words{}
			}
			(*w)[*text], kept = *text, *text
		}
		*text = kept
	}
}
