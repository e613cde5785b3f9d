package theme

// Key is one line of the key table.
type Key struct{ Keys, Does string }

// GlobalKeys work on every page. Help and the documentation are made from this table.
func GlobalKeys() []Key {
	return []Key{
		{"1-9", "go to a page"},
		{":", "go by name; tab completes"},
		{"/", "filter by a regular expression; ! in front inverts"},
		{"?", "this help"},
		{"esc", "end the filter, or go back"},
		{"-", "the page before, and forth again"},
		{"[ ]", "back and forward through the history"},
		{"q", "quit"},
	}
}

// TableKeys work where rows are shown.
func TableKeys() []Key {
	return []Key{
		{"up down j k", "move"},
		{"pgup pgdn g G", "move by a page, to the first, to the last"},
		{"shift+letter", "sort by the column that begins with the letter; again: the other way"},
		{"ctrl+w", "all columns"},
		{"enter", "go into the object"},
		{"d", "describe: the object with its operational state"},
		{"y", "the object as YAML"},
	}
}

// AddressKeys work on the address pages.
func AddressKeys() []Key {
	return []Key{{"arrows h j k l", "move the cursor"}, {"enter", "open the bitmap of the network"}}
}

// EventKeys work on the events page.
func EventKeys() []Key {
	return []Key{{"f", "follow the newest, or hold still"}, {"up down j k", "move"}}
}

// TextKeys work on pages of text.
func TextKeys() []Key {
	return []Key{{"up down j k", "scroll"}, {"pgup pgdn g G", "scroll by a page, to the ends"}}
}
