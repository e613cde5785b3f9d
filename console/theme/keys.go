package theme

// Key is one line of the key table.
type Key struct{ Keys, Does string }

// GlobalKeys work on every page. Help and the documentation are made from this table.
func GlobalKeys() []Key {
	return []Key{
		{"1-9", "go to a page"},
		{":", "go by name, as networks, flows/HOST/TABLE or endpoint/ID:yaml; tab completes"},
		{"/", "filter by a regular expression; ! in front inverts"},
		{"?", "this help"},
		{"esc", "end the filter, or go back"},
		{"-", "the page before, and forth again"},
		{"[ ]", "back and forward through the history"},
		{"!", "go to what the second line complains about"},
		{"c", "copy the netctl command of the last line (OSC 52)"},
		{"ctrl+t", "the mouse: the console's (scroll, select, sort, change pages), or the terminal's"},
		{"q", "quit"},
	}
}

// ReplayKeys work on every page while a recording is played.
func ReplayKeys() []Key {
	return []Key{
		{"p", "pause, and go on; at the end: from the beginning"},
		{"< >", "slower, faster: from a quarter to 64 times"},
		{", .", "10 seconds back, forth"},
		{"{ }", "a minute back, forth"},
		{"@", "go to a time (15:04:05), an offset (90s), or an offset from the end (-10s)"},
	}
}

// MoveKeys work wherever there are rows.
func MoveKeys() []Key {
	return []Key{
		{"up down j k", "move"},
		{"pgup pgdn g G", "move by a page, to the first, to the last"},
		{"shift+letter", "sort by the column that begins with the letter; again: the other way, and by the next that begins so"},
		{"s", "sort by the next column, whatever it is called; behind the last: by none"},
		{"enter", "go into it"},
	}
}

// TableKeys work where objects are shown.
func TableKeys() []Key {
	return append(MoveKeys(), []Key{
		{"space", "mark the row, or take its mark away; d, w and ctrl+d then act on all that are marked"},
		{"\\ ctrl+space", "take all marks away"},
		{"ctrl+w", "all columns"},
		{"d", "describe: the object with its operational state"},
		{"y", "the object as YAML"},
		{"H", "its history"},
		{"a f t", "of an endpoint: its address, its flows, its place in the topology"},
		{"w", "of an endpoint, group or service: whether it reaches another, and why"},
		{"e", "edit it in $EDITOR (--write)"},
		{"ctrl+d", "delete it (--write); what is affected is shown first"},
	}...)
}

// FlowKeys work on flows.
func FlowKeys() []Key {
	return append(MoveKeys(), Key{"v", "all, drops, never hit, shadowed"}, Key{"w t", "trace a packet that the flow would meet: whether it passes, and why"})
}

// TreeKeys work in the topology.
func TreeKeys() []Key {
	return []Key{
		{"up down j k", "move"},
		{"pgup pgdn g G", "move by a page, to the first, to the last"},
		{"space left right", "fold and unfold"},
		{"m", "the matrix: what may talk to what"},
		{"o", "the map of hosts, or the tree alone"},
		{"enter", "go into it"},
		{"a f", "of an endpoint: its address, its flows"},
		{"w", "of an endpoint or group: whether it reaches another, and why"},
		{"d y H", "describe, YAML, history"},
	}
}

// MatrixKeys work in the matrix.
func MatrixKeys() []Key {
	return []Key{{"arrows", "move the cursor; the deciding rules are shown below"}, {"n", "the next tenant"}, {"w", "follow such a packet: whether it passes, and why"}, {"enter", "the group's rules"}}
}

// ConfirmKeys work where a change is shown before it is made.
func ConfirmKeys() []Key {
	return append(TextKeys(), Key{"Y", "carry it out"}, Key{"e", "edit it again, when it was edited"}, Key{"esc", "leave everything as it is"})
}

// AddressKeys work on the address pages.
func AddressKeys() []Key {
	return []Key{
		{"arrows j k", "move the cursor"},
		{"enter", "open the map of the network, or what is under the cursor"},
		{"+ -", "zoom: from addresses to blocks of them"},
		{"h H", "who had the address under the cursor"},
		{"v", "state, or age: how long each address is as it is"},
		{"/", "light up the addresses whose holder matches"},
	}
}

// EventKeys work on the events page.
func EventKeys() []Key {
	return []Key{{"f", "follow the newest, or hold still"}, {"up down j k", "move"}, {"enter d", "the object, or the node"}, {"H", "the object's history"}}
}

// TextKeys work on pages of text.
func TextKeys() []Key {
	return []Key{{"up down j k", "scroll"}, {"pgup pgdn g G", "scroll by a page, to the ends"}}
}

// WhyKeys work where the way of a packet is shown.
func WhyKeys() []Key {
	return append([]Key{
		{"f t", "another sender, another receiver"},
		{"p", "other traffic: a protocol and a port"},
		{"r", "the other way round"},
		{"s", "the flows that the packet meets on every switch"},
	}, TextKeys()...)
}

// LeaderKeys work where the leader is shown.
func LeaderKeys() []Key {
	return append(TextKeys(), Key{"T", "hand leadership over to another netmaster (--write); it is confirmed first"})
}

// HandoverKeys work where it is chosen who is to lead.
func HandoverKeys() []Key {
	return append(MoveKeys()[:2], Key{"Y", "hand over to the netmaster under the cursor"}, Key{"esc", "leave everything as it is"})
}
