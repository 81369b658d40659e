package code

import (
	"strings"

	"hooks/internal/guard/word"
)

// writesState notes a statement that names a file of the loop and writes, moves or deletes files.
// What names it in another way is seen by the state's seal.
func (p *program) writesState(g *group) {
	for _, e := range g.elems {
		named, writing := "", false
		p.touches(e, &named, &writing)
		if named != "" && writing {
			p.f.PathAct(named, p.lang+": "+named)
			continue
		}
		for _, pt := range e.parts {
			if pt.in != nil && (pt.in.open == '{' || pt.in.name == "") {
				p.writesState(pt.in)
			}
		}
	}
}

func (p *program) touches(e elem, named *string, writing *bool) {
	see := func(text string) {
		switch {
		case *named == "" && (p.f.Guarded(text) || strings.TrimSuffix(text, "/") == ".sdd"):
			*named = text
		case len(text) <= 3 && text != "" && strings.Trim(text, "waxr+bt") == "" &&
			strings.ContainsAny(text, "wax+"),
			strings.HasPrefix(text, ">"):
			*writing = true
		}
	}
	for _, pt := range e.parts {
		if !p.f.M.Spend(1) {
			return
		}
		name := pt.text
		if pt.in != nil {
			name = pt.in.name
			for _, in := range pt.in.elems {
				p.touches(in, named, writing)
			}
		} else if pt.kind == strTok || pt.kind == wordTok {
			see(p.fill(pt.text))
			continue
		}
		on, how, dotted := strings.Cut(name, ".")
		*writing = *writing || writes(last(name))
		if words, _ := p.named(on); on != "" && len(words) == 1 && (pt.in == nil || dotted &&
			writes(last(how))) {
			see(words[0])
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
