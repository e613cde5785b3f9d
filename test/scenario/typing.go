package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/contiv/contiv/test/machines/page"
)

// doTutorial types the commands of pages of docs at one shell, with the script's lab in place of the page's, and compares what they print with what the page
// shows: "tutorial tut tutorials/first-policy.md". NAME is the name of the page's lab.
func (s *Session) doTutorial(args []string) error {
	if err := need(args, 2, "tutorial NAME FILE..."); err != nil {
		return err
	}
	terminal, err := page.NewTerminal(append(os.Environ(), "PATH="+s.Getenv("PATH"), "HOME="+s.dir), page.Masked)
	if err != nil {
		return err
	}
	defer terminal.Close()
	own := fmt.Sprintf("--dir %s --name %s", s.dir, s.labName())
	for _, file := range args[1:] {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", file))
		if err != nil {
			return err
		}
		typed, err := page.Commands(string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for i := range typed {
			c := &typed[i]
			c.Shell = strings.ReplaceAll(c.Shell, "--name "+args[0], own)
			err := terminal.Type(*c)
			if err != nil && i > 0 && typed[i-1].Prints == "" {
				s.Logf("%v; once more, after %s: an agent may have repaired meanwhile what this has changed", err, typed[i-1].Shell)
				if err = terminal.Type(typed[i-1]); err == nil {
					err = terminal.Type(*c)
				}
			}
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return nil
}
