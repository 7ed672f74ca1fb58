extension ProductPicture {
    /// The SVG shapes of each product type, in a field of 400 by 300.
    static let drawings = [
        "Bag": ##"""
        <path d="M166 120q0-60 34-60t34 60" fill="none" stroke-width="8"/>
        <path d="M134 116h132l12 126H122z"/>
        """##,
        "Bowl": ##"""
        <path d="M110 150h180q0 84-90 90-90-6-90-90z"/>
        <path d="M130 150q10-40 36-24 14-30 40-10 34-22 40 8 20-6 24 26z" fill="#fff6d8"/>
        """##,
        "Box": ##"""
        <rect x="128" y="120" width="144" height="120" rx="4"/>
        <path d="M200 120v120M128 160h144" fill="none" stroke="#fff" stroke-width="12"/>
        <path d="M200 118q-40-50-52-20t52 20q40-50 52-20t-52 20z" fill="#fff"/>
        """##,
        "Cap": ##"""
        <path d="M120 180q0-80 80-80t80 80z"/>
        <path d="M200 180h90q36 8 40 26q-70-12-130-10z"/>
        """##,
        "Clock": ##"""
        <circle cx="200" cy="155" r="84"/>
        <circle cx="200" cy="155" r="66" fill="#fff"/>
        <path d="M200 155V108M200 155l34 20" fill="none" stroke-width="7"/>
        """##,
        "Coffee": ##"""
        <path d="M146 96l14-26h80l14 26v146H146z"/>
        <rect x="164" y="130" width="72" height="66" rx="6" fill="#fff"/>
        <path d="M200 142q-22 20 0 42 22-22 0-42z" fill="#7a5033"/>
        """##,
        "Cutlery": ##"""
        <path d="M164 62l14 0 10 182h-8zM226 62l14 2-26 180h-8z"/>
        """##,
        "Dice": ##"""
        <rect x="132" y="92" width="136" height="136" rx="22"/>
        <g fill="#fff" stroke="none">
        <circle cx="168" cy="128" r="12"/>
        <circle cx="200" cy="160" r="12"/>
        <circle cx="232" cy="192" r="12"/></g>
        """##,
        "Hoodie": ##"""
        <path d="M154 90l-42 24-14 118h34l6-74v84h124v-84l6 74h34l-14-118-42-24z"/>
        <path d="M152 92q-2-52 48-52t48 52q-48 34-96 0z"/>
        <path d="M174 88q-2-28 26-28t26 28q-26 20-52 0z" fill="#20242c" stroke="none"/>
        <path d="M165 186h70l12 40h-94z" fill="#fff" fill-opacity=".25"/>
        """##,
        "Lamp": ##"""
        <path d="M150 240h90M196 240l-30-70 56-56" fill="none" stroke-width="8"/>
        <path d="M196 96l34-30 60 62-50 20z"/>
        """##,
        "Mug": ##"""
        <path d="M258 130q50-6 50 40t-58 40" fill="none" stroke-width="16"/>
        <path d="M130 100h130v118q0 24-24 24h-82q-24 0-24-24z"/>
        <path d="M130 100h130" fill="none"/>
        """##,
        "Notebook": ##"""
        <rect x="140" y="70" width="124" height="172" rx="8"/>
        <path d="M162 70v172M186 112h54M186 136h54" fill="none" stroke="#fff"/>
        """##,
        "Pen": ##"""
        <path d="M128 214l110-124 32 28-110 124-42 12z"/>
        <path d="M222 108l32 28" fill="none"/>
        """##,
        "Poster": ##"""
        <rect x="132" y="60" width="136" height="184" fill="#fff"/>
        <rect x="146" y="74" width="108" height="132"/>
        <circle cx="200" cy="134" r="30" fill="#fff" fill-opacity=".5"/>
        <path d="M166 224h68" fill="none"/>
        """##,
        "Puzzle": ##"""
        <path d="M130 90h54q-6-26 16-26t16 26h54v54q26-6 26 16t-26 16v54H130z"/>
        """##,
        "Scarf": ##"""
        <path d="M140 100q60 50 120 0l14 26q-40 30-60 34l10 84h-44l-6-84q-30-8-48-34z"/>
        """##,
        "Shirt": ##"""
        <path d="M160 76q40 24 80 0l56 34-22 44-24-12v100H150V142l-24 12-22-44z"/>
        """##,
        "Socks": ##"""
        <path d="M150 70h44v90l-30 66q-10 16-34 14t-16-26l36-60zM214 70h44v90l30 66q10 16-4 22t-40-8l-30-76z"/>
        """##,
        "Teapot": ##"""
        <path d="M136 160q0-60 64-60t64 60q6 80-64 80t-64-80zM262 150q30-30 50-20-20 14-44 66M136 150q-46-20-46 24t56 40" fill-opacity=".9"/>
        <path d="M200 100v-16" fill="none" stroke-width="10"/>
        """##,
    ]

    /// The SVG shapes of all other product types.
    static let card = ##"""
        <path d="M112 96h160l18 20v104H112z"/>
        <g fill="#fff" stroke="none">
        <rect x="136" y="124" width="10" height="22"/>
        <rect x="164" y="150" width="10" height="22"/>
        <rect x="192" y="124" width="10" height="22"/>
        <rect x="220" y="176" width="10" height="22"/>
        <rect x="248" y="150" width="10" height="22"/></g>
        """##
}
