package import IdentityHTTP

/// The layout of the sandbox's pages, which works on desktop and phone, light and dark.
package enum PageLayout {
    package static func page(brand: String, title: String, _ content: HTMLText) -> String {
        // Shopify, Bolt, SFCC and the OpenID provider have different colours, so that a tester sees whose page this is.
        let theme: HTMLText =
            switch brand {
            case "Shopify", "Shopify checkout": "shopify"
            case "Bolt": "bolt"
            case SandboxSFCC.brand: "sfcc"
            default: "plain"
            }
        let page: HTMLText = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="robots" content="noindex">
            <title>\(title) · \(brand) sandbox</title>
            <style>\(style)</style>
            </head>
            <body class="\(theme)">
            <p class="ribbon"><strong>Sandbox</strong> This is not \(brand). Nothing you enter here leaves this computer.</p>
            <main>
            <p class="brand">\(brand)<span>sandbox</span></p>
            <h1>\(title)</h1>
            \(content)
            </main>
            </body>
            </html>

            """
        return page.text
    }

    static func complaint(_ problem: String?) -> HTMLText {
        if let problem { "<p class=\"error\" role=\"alert\" id=\"problem\">\(problem)</p>" } else { "" }
    }

    /// The attributes that link an input to its error message, for screen readers; empty if `problem` is nil.
    static func described(_ problem: String?) -> HTMLText {
        problem == nil ? "" : " aria-invalid=\"true\" aria-describedby=\"problem\""
    }

    private static let style: HTMLText = """
        :root{color-scheme:light dark;--ink:#1a1c20;--soft:#5a6070;--paper:#fff;--ground:#eef0f4;--line:#c3c8d2;\
        --accent:#1f4fd8;--accent-ink:#fff;--bad:#a4161a;--bad-ground:#fdecec;--ribbon:#ffd84d;--ribbon-ink:#2b2300}
        @media (prefers-color-scheme:dark){:root{--ink:#eceef3;--soft:#a9b0c0;--paper:#1d2027;--ground:#121419;--line:#474d5b;\
        --accent:#8fb0ff;--accent-ink:#0c1a3d;--bad:#ffb3b3;--bad-ground:#3b1a1c;--ribbon:#e0b400;--ribbon-ink:#1d1800}}
        .shopify{--accent:#1b6e4b}.bolt{--accent:#5a35d6}.sfcc{--accent:#0b5fb5}
        @media (prefers-color-scheme:dark){.shopify{--accent:#7fd6ae}.bolt{--accent:#b8a4ff}.sfcc{--accent:#86c1ff}}
        .sfcc main{border-top:.5rem solid var(--accent)}
        *{box-sizing:border-box}
        body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
        .ribbon{margin:0;padding:.5rem 1rem;background:var(--ribbon);color:var(--ribbon-ink);text-align:center;font-size:.9rem}
        main{max-width:26rem;margin:3rem auto;padding:2rem;background:var(--paper);border:1px solid var(--line);border-radius:.75rem}
        .brand{margin:0 0 1.5rem;font-weight:700;color:var(--soft)}
        .brand span{margin-left:.5rem;padding:.1rem .5rem;border:1px solid var(--line);border-radius:1rem;font-weight:400;font-size:.85rem}
        h1{margin:0 0 .5rem;font-size:1.5rem;line-height:1.25}
        h2{margin:1.5rem 0 .5rem;font-size:1rem}
        a{color:var(--accent)}.back{margin:1.25rem 0 0;text-align:center}
        p{margin:.5rem 0 1rem;overflow-wrap:anywhere}
        label{display:block;margin:1rem 0 .35rem;font-weight:600}
        input{width:100%;padding:.7rem .8rem;border:1px solid var(--line);border-radius:.5rem;background:var(--paper);color:var(--ink);font:inherit}
        input.code{letter-spacing:.35em;font-variant-numeric:tabular-nums;font-size:1.25rem}
        button{width:100%;margin-top:1rem;padding:.75rem 1rem;border:1px solid var(--accent);border-radius:.5rem;background:var(--accent);color:var(--accent-ink);font:inherit;font-weight:600;cursor:pointer}
        button.plain{margin-top:.6rem;background:transparent;border-color:var(--line);color:var(--ink);font-weight:400}
        :focus-visible{outline:3px solid var(--accent);outline-offset:2px}
        .error{padding:.6rem .8rem;border-radius:.5rem;background:var(--bad-ground);color:var(--bad)}
        .note,footer{color:var(--soft);font-size:.9rem}
        .mail{padding:.8rem 1rem;border:1px dashed var(--line);border-radius:.5rem}
        .mail output{display:block;font-size:1.4rem;font-weight:700;letter-spacing:.2em;font-variant-numeric:tabular-nums}
        footer{margin-top:1.5rem;padding-top:1rem;border-top:1px solid var(--line)}
        dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem;margin:1rem 0}
        dt{color:var(--soft)}dd{margin:0;min-width:0;overflow-wrap:break-word}
        table{width:100%;border-collapse:collapse}td,th{padding:.4rem .5rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
        .amount{text-align:right;white-space:nowrap}tfoot th{border-bottom:0}small{color:var(--soft)}
        @media (max-width:34rem){main{margin:0;padding:1.25rem;border:0;border-radius:0;min-height:calc(100vh - 3rem)}}
        """
}
