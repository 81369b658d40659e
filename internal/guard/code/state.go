package code

import (
	"strings"

	"hooks/internal/guard/word"
)

// writesState notes a statement that names a file of the loop and writes, moves or deletes files.
// What names it in another way is seen by the state's seal.
func (p *program) writesState(g *group) {
	for _, e := range g.elems {
		var named []string
		writing := false
		p.touches(e, &named, &writing)
		for _, text := range named {
			if writing && (strings.TrimSuffix(text, "/") == ".sdd" || p.f.Guarded(text)) {
				p.f.PathAct(text, p.lang+": "+text)
				break
			}
		}
		for _, pt := range e.parts {
			if pt.in != nil && (pt.in.open == '{' || pt.in.name == "") {
				p.writesState(pt.in)
			}
		}
	}
}

// touches collects the texts of a statement that could be paths, and tells whether it writes.
func (p *program) touches(e elem, named *[]string, writing *bool) {
	for _, pt := range e.parts {
		if !p.f.M.Spend(1) || len(*named) > 100 {
			return
		}
		name := pt.text
		switch {
		case pt.in != nil:
			name = pt.in.name
			for _, in := range pt.in.elems {
				p.touches(in, named, writing)
			}
		case pt.kind != nameTok:
			text := p.fill(pt.text)
			mode := len(text) <= 3 && text != "" && strings.Trim(text, "waxr+bt") == ""
			*writing = *writing || mode && strings.ContainsAny(text, "wax+") || strings.HasPrefix(text, ">")
			*named = append(*named, text)
			continue
		}
		on, how, dotted := strings.Cut(name, ".")
		*writing = *writing || writes(last(name))
		if len(p.names[on]) > 0 && (pt.in == nil || dotted && writes(last(how))) {
			words, _ := p.named(on)
			*named = append(*named, words[0])
		}
	}
}

func writes(last string) bool {
	return word.Has(`write write_text write_bytes writeFile writeFileSync appendFile appendFileSync
unlink unlinkSync remove rmtree rmSync rm rmdir rmdirSync removedirs
rename renameSync renames truncate truncateSync ftruncate copyFile
copyFileSync copy copy2 copytree copyfile move copytree
createWriteStream file_put_contents fwrite delete rm_rf rm_r rm_f mv
cp touch WriteFile RemoveAll Remove Rename Truncate writeTextFile
writeTextFileSync dump symlink link`, last)
}
