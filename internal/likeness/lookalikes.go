package likeness

// lookalikes are letters in lower case that look like one of ASCII in most fonts, with that one: of
// Cyrillic, Greek, Armenian, Cherokee's small letters and the extensions of Latin. They are among those of
// confusables.txt of Unicode Technical Standard 39; folding turns capitals into them before.
var lookalikes = map[rune]rune{
	// Cyrillic
	'а': 'a', 'ӕ': 'a', 'в': 'b', 'ь': 'b', 'с': 'c', 'ԁ': 'd', 'е': 'e', 'ҽ': 'e', 'ё': 'e', 'ғ': 'f', 'ԍ': 'g',
	'һ': 'h', 'н': 'h', 'і': 'i', 'ї': 'i', 'ӏ': 'l', 'ј': 'j', 'к': 'k', 'м': 'm', 'п': 'n', 'о': 'o', 'р': 'p',
	'ԛ': 'q', 'г': 'r', 'ѕ': 's', 'т': 't', 'ц': 'u', 'ѵ': 'v', 'ԝ': 'w', 'ш': 'w', 'х': 'x', 'у': 'y', 'ү': 'y',
	'ԉ': 'l', 'з': '3', 'б': '6', 'ҭ': 't', 'қ': 'k',
	// Greek
	'α': 'a', 'β': 'b', 'ϲ': 'c', 'δ': 'd', 'ε': 'e', 'ϝ': 'f', 'η': 'n', 'ι': 'i', 'κ': 'k', 'μ': 'u', 'ν': 'v',
	'ο': 'o', 'ρ': 'p', 'σ': 'o', 'τ': 't', 'υ': 'u', 'χ': 'x', 'γ': 'y', 'ω': 'w', 'ϳ': 'j', 'ζ': 'z',
	// Armenian
	'ա': 'w', 'գ': 'q', 'զ': 'q', 'հ': 'h', 'յ': 'j', 'ո': 'n', 'ռ': 'n', 'ս': 'u', 'օ': 'o', 'ց': 'g', 'ք': 'p',
	'լ': 'l', 'տ': 'm',
	// Cherokee, whose small letters fold to the great ones
	'Ꭺ': 'a', 'Ᏼ': 'b', 'Ꮯ': 'c', 'Ꭰ': 'd', 'Ꭼ': 'e', 'Ꮐ': 'g', 'Ꮋ': 'h', 'Ꭵ': 'i', 'Ꭻ': 'j', 'Ꮶ': 'k', 'Ꮮ': 'l',
	'Ꮇ': 'm', 'Ꮲ': 'p', 'Ꭱ': 'r', 'Ꮪ': 's', 'Ꭲ': 't', 'Ꮩ': 'v', 'Ꮃ': 'w', 'Ꭹ': 'y', 'Ꮓ': 'z',
	// Latin
	'ɑ': 'a', 'ᴄ': 'c', 'đ': 'd', 'ɡ': 'g', 'ɦ': 'h', 'ı': 'i', 'ɩ': 'i', 'ȷ': 'j', 'ł': 'l', 'ƚ': 'l', 'ǀ': 'l',
	'ɴ': 'n', 'ᴏ': 'o', 'ø': 'o', 'ɵ': 'o', 'ʀ': 'r', 'ꜱ': 's', 'ƽ': 's', 'ŧ': 't', 'ᴜ': 'u', 'ʋ': 'v', 'ᴠ': 'v',
	'ᴡ': 'w', 'ʏ': 'y', 'ƴ': 'y', 'ᴢ': 'z', 'ƶ': 'z', 'ħ': 'h',
	// Marks between words
	'‐': '-', '‑': '-', '‒': '-', '–': '-', '—': '-', '−': '-', '˗': '-', '‗': '_',
}
