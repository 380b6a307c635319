Muž v oranžové čepici zírá na něco.
Běžec běží po zelené trávě před bílým plotem.
Dívka v karate uniformách si dává klacek před kopou.
Pět lidí v zimních bundách a helmách stojí ve sněhu, v pozadí jsou sníh.
Lidé opravují střechu domu.
Muž ve světle zbarveném oblečení fotí skupinu mužů v tmavých oblecích a čepicích, která stojí kolem ženy v rovných šatech.
Skupina lidí stojí před obloukem.
Chlapec v červeném dresu se pokouší na domácí metě, zatímco se pokouší chytit modrý dres.
Muž pracuje na budově.
Muž v vestě sedí na židli a drží magazíny.
Matka a její mladá píseň si užívají krásný den.
Muži hrají volejbal, jeden hráč s míčem, až mu podává míč do vzduchu.
Žena drží mísu jídla v kuchyni.
Muž sedí u stolu a používá nástroje doma.
Tři lidé sedí v jesnici.
Dívka v džínových šatech jde po kladině balancuje.
Blonďatá drží za ruce s mužem v písku.
Žena v šedém svetru a černé kšiltovce stojí ve frontě v obchodě.
Člověk v pruhovaném triku leze na horu.
Dva muži předstírá, aby se podívali, zatímco se žena dívají.
Lidé stojí před budovou.
Teenager hraje na trumpetu na hřišti.
Žena dělá nějaký skokan na trampolíně na pláži.
Muž stojí u skupiny videohry v baru.
Žena používá vrtačku, zatímco jiný muž fotí.
Žena v růžovém svetru a zástěře čistí stůl s ppongem.
Muž stříhá větve stromu.
Skupina asijských chlapců čeká na maso, aby mohli na gril.
Ženy v tradičním oblečení jsou v tradičním oblečení, nemorororují domodody.
Jeden muž drží hlavu jiného muže a připravuje se na úder do obličeje.
Šest lidí jede na horském kole skrz džážku.
Dvě blonďaté dívky sedí na římse na přeplněném náměstí.
Dítě cáká ve vodě.
Tři lidé sedí u piknikového stolu před budovou namaloženou, že je nezdovně.
Tři chlapci stojí na molu v plavkách.
Zaměstnanec podává ženu, zatímco si prohlíží rybu na ledě.
Krásná žena hraje na harararu.
Zatímco stojí u budovy, v uniformě se dívá na svůj stráž, zatímco se na kameru za plotem.
Mladá žena se dívá na pizzu.
Muž bez trička rybaří na nějakých kamenech.
Dívka v záchranné vestě plave ve vodě.
Muž v uniformě a muž v modrém triku stojí před dodávkou.
Lidé sedí uvnitř vlaku.
Dítě se houpe s nohama do vzduchu v lese.
Muž v červeném triku vstupuje do podnini.
Dva muži v plavkách skáčou do vzduchu na zahráděné pláži.
Batole vaří s dalším člověkem.
Otec a dvě děti jsou venku před domem a pracují na travnatém dvorku a používají květiny na trávě.
Muž vaří jídlo na sporáku.
Muž v džínách na pláži si hraje s červeným míčkem.
Lidé jdou po chodníku vedle řady obchodů.
Kajakář dělá salto, zatímco se zdá být vysoko ve vzduchu.
Velká skupina lidí vyplňuje ulici.
Muž na jmenovku jde do vody.
Žena v džínách jde kolem autobusu a dívá se na ženu ve slunečních brýlích.
Muž v růžovém triku sedí na trávě a míč je ve vzduchu.
Auto zaparkovaný na pláži.
Dva muži v černém ve městě.
Muž ve žlutých kalhotách zvedá ruce.
Dva muži v kloboucích, kteří nosí čepice a jdou kolem vodní plochy během slunečného dne.
Tým roztleskávaček dělá sestavu na židlích.
Chlapec si hraje dámu s dospělými, zatímco dívka se dívá.
Dav lidí se baví ve veřejném parku.
Muž sedí na lavičce a drží svého psa a dívá se na vodu.
Chlapec a jeho mladší bratr si spolu hrají na hřišti.
Žena v modrém se dívá do černé koženého pytle, zatímco sedí na lavičce během slunečného dne a za ní prochází lidé.
Hnědý pes stojí na písečné pláži.
Žena sedí s košíkem s látkou obklopenou.
Muž griluje na dvorku.
Žena zpívá v klubu s kytaristem za ní.
Hráč amerického fotbalu hraje v noci na kytaru.
Dítě sedí na zahradní židli a dívá se na kameru.
Dvě ženy a tři muži se dívají na oceán.
Umělkyně s housle hraje na ulici, zatímco žena s modrou kytarou se dívá.
Mladá dívka plave v bazénu.
Několik dětí se připravuje venku, aby si hrát hrát, aby se zahrát.
Tři teenageři v metru si hrají.
Hnědý pes jde po trávě s vyplazeným jazykem.
Lidé sedí na trávě před budovou a dávají si pauzu.
Muž bez trička se dívá do dáli, zatímco tři ženy prochází kolem kavárny.
Dva mladí chlapci dávají ovoce na kole.
Muž v černém tričku, kšiltovce a džínách hraje na bubny na žlutém pásu.
Mladá umělecka maluje obrázek ženy na zdi.
Dvě členy členy týmů předvádí skok vysoko mezi dvěma dalšími členy.
Muž míchá hrn tekutiny v této kuchyni.
Chlapec jede na wakeboardu na jezeře.
Muž pracuje v hotdogu.
Velká skupina lidí různého věku amana sedí venku.
Blonďatá žena lije nápoj na baru.
Malé dítě v modro-bílém tričku se šťastně drží žluté plastového plastového plastového plastového plastového zařízení.
Žena s růžovými vlasy v černém mluví s mužem.
Muž v japonském obleku připravuje jídlo pro dva lidé.
Dívka běží po řece z kamene.
Dělník s nástrojem klečí vedle dvou žen.
Starší muž otevírá ruce široce a dívá se na sekeru.
Dítě v bílém karate procvičuje pohyb.
Tři muži ve stejných vestách jsou venku.
Žena fotí dítě v růžovém klobouku, zatímco muž nese své.
Skupina asijských dětí sedí v modrých křeslech.
Mladý chlapec v fotbalovém dresu pláče do své palmy.
Šťastná žena připravuje v kavárně kášky.
Stavební dělník řídí těžké vybavení na staveništi.
Žena běží za odpalem v ženské softballu, chytá nohy.
Muž v pracovním dresu míjí nástroje k dalším člověku.
Skupina lidí leze po studeném počasí.
Horský lyžař se chystá dolů po hoře s modrou helmou.
Muž dělá stojku na vrchu kulaté sochy.
Dítě sedí u stolu v restauraci a drží papír proti obličeji.
Hnědý pes se brodí do jezera, aby chytil klacek.
Matka učí její dva mladí chlapci rybu z kamenitého kopce do velmi modré vody.
Malé dítě jde vedle červené prapory.
Dívka sedí na ozdobném kole s mladším chlapcem, zatímco další dívka fotí.
Černý pes si dává míč ve vodě.
Muž v bílých kalhotách a modré košili kope do žluté krabice.
Dva Indové se účastní obřadu.
Chlapec s nosem a nosem stojí v obchodě s rukama v obchodě.
Dva Siluety lidí pádlují na kánoi během západu slunce.
Lidé stojí na přeplněném metru a nástupišti je vidět skrz okno.
Muž s ohněm v ruce.
Dva hnědí psi běží sněhem.
Na pódiu je fotka malých kapely, která předvádí divovní publiku.
Dítě v vánočním oblečení se dívá na kameru.
Muž sedí vedle počítačového monitoru.
Tato žena má vtišné skovky a směje se.
Lidé v budově, jeden fotí.
Čtyři bílí psi s náhubky skáčou přes červenou zeď.
Žena v modrém triku drží miminko.
Dva lidé sedí na pruhovaných židlích na pruhovaných židlích ve vodě.
Stará žena pracuje na tkalcovském stroji.
Chlapec stojí v popředí a dívá se na jinou lidi na hřišti.
Muž v modré bundě bere mladého chlapce, který se rameni.
Tři hnědí psi skáčou nahoru na ženu v modrém.
Chlapec visí z okna a míjí taxík.
Muž v šedém triku skáče přes vrchol písečné duny v poušti.
Dítě ve žlutém triku skáče nahoru a dolů.
Dělník ve žluté bundě je vysoko, aby mohli pracují na budově.
Muž v opisivém oděvu si povídá s mladým dospělým dospělýchm.
Několik pivem táhne v baru s vánočními světly na stropu.
Muž sjíždí útes přes oceán.
Muž v černém jde ke svému náklaďáku ve sněhu.
Puxer skáče po míči.
Policista v čepici a v bundě se usmívá, zatímco má sluneční brýle před obchodem.
Rodina se prochází v parku.
Muž v zelené přilbě a žluté bezpečnostní vestě se mračí.
Dítě s růžovými provázky na hlavě tančí obklopeni kužely, balónky.
Pes s nosem v nosem na řece něco lík.
Muž se připravuje na svůj místním dni.
Muž v červeném triku se chystá jít jí.
Mladá žena v bílém drží tenisovou raketu.
Chlapec v červeném triku kope do písku se žlutou lopatkou.
Člověk v růžové bundě si na dřevěné lavičce.
Muž v bílém triku se dívá z okna kovové budovy.
Žena drží malou bílou sochu.
Šest dětí bez trika si hrají v přírodě a cáká se.
Dva lidé jedou na kolech skrz horu.
Dívka skáče přes švihadlo na chodníku poblíž garáže.
Muž v oranžovém triku a helmě.
Malý chlapec si hraje s plastovými kostkami, aut a zvířemi, zatímco se dospělý dívají.
Malá dívka otevírá vánoční dárky.
Žena v modrém obsluhuje kameru před dvěma dalšími ženou.
Malá dívka se snaží dostat na komufetní pohovce.
Hnědo-černý pes běží po stezce v lese.
Dva psi si hrají u stromu.
Těželel v černé bundě a kalhotách jde po schodech, zatímco se soustředí na psa.
Dva muži v zeleném připravují jídlo v restauraci.
Muž oblečený v černém koženém klobouku a kovbojském klobouku jde kolem Riis.
Pes běží venku se žlutou hračkou.
Pes s dekou běží ve sněhu.
Rodina si hraje na pláži s jejich psem.
Žena a dítě se koupou, zatímco dítě se zdá být.
Dva muži a žena stojí venku.
Skupina mužů, kteří používají klády, aby vykl loď z vody.
Muž pije ze skleničky z vína, zatímco čte noviny.
Muž v černém a hraje na piano.
Mladý chlapec v modrém dresu a žlutých šortkách hraje fotbal.
Muž stojí na kamenné stavbě s rukama, že je ptáka.
Pes pije vodu venku na trávě.
Dvě ženy v tílkách se dívají na kameru.
Muž sedí v holičkové židli a připravuje se na holí.
Malé dítě v zelených botách si hraje v bahnité kaluži.
Muž používá motorovou pilu, aby vystřezl pilu.
Muž sedí u piknikového stolu s tácy a částečně rozdělené pivo před ním.
Chlapec v černém triku a modrých džínách drží červenou baseballovou pálkou.
Tmavovlasý muž v brýlích a havajské košili sedí na trávě.
Pes běží na psí dráze.
Muž se světlým účesem s kmenem na hlavě přeskakuje reflektor.
Dvě Německý ovčák se perou na sebe.
Tato skupina lidí stojí na nějaké akci.
Hnědo-bílý pes, který hází hračku.
Muž s bílými vlasy hraje na akordeon uprostřed nějakých budov.
Žena s hnědými vlasy sedí na lavičce před kavárnou.
Muž vedle kola hraje na flétnu.
Dvě děti balancují na kládě a drží provaz.
Muž jede na motorce předvádí trik na dráze.
Mladá žena s fialovou pokrývkou hlavy relaxuje na dřevěném palubě.
Žena v hnědém triku sedí na jasně červené lavičce.
Pes jde po kládě přes malou řeku.
Mladý muž v bílém triku a zelených šortkách stojí na pařezu.
Skupina lidí je celá pod deštníky.
Muž s obrovským nápisem na kole.
Muž hází kládu do vody, zatímco se dva psi dívají.
Skupina starších lidí hraje na nástroje pod stanem u vody.
Pohled na rušnou městskou ulici.
Mladá blondýnka drží bílý provaz na slunečném dni.
Dva lidé v modrých tričkách jsou venku s býkem.
Černý pes sprchuje do bazénu.
Kovboj jede na zadním pásu v soutěži.
Dělník předvádí údržby na železniční trati.
Dělník v oranžové vestě používá lopatu.
Dva stavební dělníci mají diskuzi, zatímco pracují na staveništi.
Tři muži vychází z kopce.
Asijská žena v květinových svatebních šatech pózuje na mostě blízko své družičky.
Mladý muž padá na kytaru v kuchyni.
Tři chlapci si hrají spongem a kbelíky vody.
Tři stavební dělníci jsou na chodníku.
Lidé v lese u kánoi.
Sbor je seskupena v kostele.
Skupina mladých dospívajících skáče v noci a dělají vtivné póze na kameru.
Dva muži jedou na kajaku, jeden z nich má modrý, běží po řece.
Dva pracovníci rozdělávají cement do cihlové budovy.
Žena v červeném svetru a džínách sedí s rukama na kolenou.
Dva umělci si dávají kvůli lahve, který se dívá na publikum.
Muž relaxuje a čeká na letišti.
Muž ve žluté bundě se věnuje oheň, zatímco ho chlapec v parku pozoruje.
Muž a chlapec na kamenité pláži.
Žena na lodi s nápisem "Tamonon" s černou plachtou do vody.
Chlapec sedí a dívá se z mikroskopu.
Mladá boska v růžových šatech skáče venku.
Mnoho lidí sedí venku kolem stanu.
Mladík v černém triku, který má na sobě ceduli "AAdiss", hraje na buben a hraje na buben.
Muž prodává věci na kraji silnice, aby se skli skon.
Dívka ve žlutém se směje na dívku v oranžovém, která se zdá být dívce v modrém.
Pes skáče přes překážku venku.
Pes s černým obojkem se válí v hlíně a spadá listím.
Dva hnědí psi si hrají v přírodě.
Muž s knírem a vousy drží pánve, který má plameny.
Muž, který má na sobě obyšné oblečení, křičí a ringu.
Muž v černém triku rybaří na kamenitém pobřeží.
Dva psi se perou v nose.
Dva muži se zastavili na chodníku, zatímco kolem projíždí auta.
Čínský muž sedí a čeká na zákazníky.
Několik aut ve školním autobuse za nimi.
Dvě ženy v podobných tričkách jdou doleva.
Malé dítě v oranžové záchranné vestě drží pás a pádluje na modrém kajaku ve vodě.
Lidé chodí po stezce v parku plném parku.
Tři mladí dospělí mluví v davu lidí, žena se dívá nahoru.
Žena a dítě venku před dveřmi zdlavého domu.
Černý muž a jeho dvě bílé přáteli dávají ruce blízko sebe.
Dívka v maskáčových kalhotách sedí na vrchu Husu.
Světle hnědý pes běží nahoru.
Kluk pózuje s velkým zelenými v nosem.
Plešatý muž se učí vysoko nad svým hnědým psem, který skáče.
Dav na rušné ulici.
Pes s náhubkem, který má na sobě žluté a černé běží po trati.
Muž v sandálech sedí na chodníku poblíž nějakých pytlů.
Muž a žena sedí na metě a povídají si.
Dítě se dívá na kávu v obchodě.
Muž pije z žlutého kelíčku kolem lidí na rušné události.
Chlapec se opírá o auto s květinami na kapotě.
Žena v květinových šatech mluví s dětmi před dodávkou.
Muž na svém svatebním dni.
Mladá žena v černém triku a džínách zametá.
Žena s kloboukem leze na útesu poblíž velké vodní plochy.
Velký černý pudl běží po trávě s hračkou v tlamě.
Chlapec v šortkách dělá skateboardový trik.
Malý chlapec v červených kalhotách stojí na ulici.
Žena píše zprávu na telefonu, zatímco je obklopená deštníky.
Osm mužů hraje na hudební nástroje na pódiu s kytaristou v světly.
Muž v oranžové kombinéze a ochranné přilbě pomáhá s modrou hadicí.
Muž a dvě dívky ukazují rybu, zatímco drží rybářský prut před vodou.
Muž v červeném triku pozoruje psa na překážkové dráze.
Chlapec v červenobílých plavkách skáče dozadu v krásném bazénu.
Asijská žena si napravuje vlasy.
Starší žena a malé dítě v růžovém triku si hrají s barevnými kostkami.
Malý černý pes skáče přes brány.
Hnědovlasý muž v zeleném triku hraje venku na trumpetu.
Muž mluví do telefonu s nohama.
Skupina dětí sedí na modré podložce, zatímco jí z mísy.
Černý chlapec sedí v písku.
Malý pes se dívá na dva velcí psi, kteří si hrají v poli.
Lidé sedí v kruhu před velkou budovou.
Jeden pes skáče, aby chytil softball, zatímco druhý přihlíží.
Blonďaté dítě se houpe na houpačce.
Jeden muž a dvě ženy mají diskuzi přes bílé víno.
Asiat vaří venku jídlo.
Hnědý pes se chystá chytit zelené frisbee.
Pohled na skupinu hraje píseň.
Mladý chlapec stojí vedle písečné sochy pyramidy.
Tři malé děti jdou po travnatém dvorku.
Muž dělá umění na vozíku.
Muž na kole jede na horské hoře.
Chlapec s modrými a žlutými botami běží po hlíně.
Žena v oranžové bundě sedí na lavičce.
Muž dělá trik na skateboardu.
Muž v uniformě bojové umění ve vzduchu.
Žena prodává tašky ovoce na chodníku.
Dva fotbalové týmy jsou na hřišti.
Dítě v modrém triku skáče z lavičky.
Brankář ve žlutém poli sjíždí gól.
Skupina mladých lidí fotí v mexxu.
Mladý muž jede na skateboardu z růžové zábradlí.
Mladý chlapec skáče z posteli na malém posteli.
Dva lidé ve zvláštních kostýmech, jeden v modrém a druhý fialové, stojí na silnici.
Muž, který běží v modrém triku s pásem, aby mohli zapravit.
Asijský dělník v továrně pózuje na kameru.
Muž, který vypadá, že běží maraton, zatímco 2 ukazuje palec nahoru.
Basketbalista střílí na gól během hry.
Fotbalista v oranžovém dresu se usmívá a drží fotbalový míč.
Dvě osoby jedou na skateboardu, zatímco se ostatní dívají.
Tým v bílém a zlaté na kraji fotbalového hřiště.
Malá dívka tlačí svůj skútr skrz travnaté pole.
Skupina asijských dětí v bílých košilích a čepicích vystupuje s davem, kteří se dívají.
Chodci jdou po ulici a dívají se na dítě v kartonové krabici.
Hnědý pes běží po písečné pláži.
Dva muži ve vojenské uniformě stojí vedle ženy.
Náde Lama během během přijímátky, kde se zveděné vlajky.
Cyklista skáče přes překážku.
Pár sedící na bílých židlích se usmívá na kameru.
Malé děti jsou na malém vlaku.
Surfař v modrých plavkách jede na vlnách.
Chlapec skáče na svém fotbalistovi.
Dva mladí muži na opačných fotbalových týmů závodí na fotbalovém hřišti.
Lidé jdou po dlážděném svahu obklopeni čínskými prodavači.
Mladý chlapec v bílých kalhotách skáče z gauče.
Chlapec v oranžovém triku lije Le Lego z pytle.
Žena v hnědých sandálech a modrých džínách v bílém triku drží miminko pod vysokým stromem.
Tři lidé se usmívají a drží cedule.
Policista stojí vedle auta na městské ulici.
Dva muži v kloboucích.
Chlapec ve vzduchu se snaží kopit fotbalový míč.
Mladý chlapec s modrou čepicí má hlavu.
Zrzavá muž s dredy sedí a hraje na akustickou kytaru.
Muž jí sendvič s dcerou na klíně.
Afroamerické dítě drží něco, které jsou na obrázku.
Žena řídí dav lidí s luškou.
Cyklisté sledují diváci v uniformě, jak dělá proslov a muž v obleku drží ovoce.
Dav prezentuje na baru.
Dívka v bílém a dívka v zeleném jdou kolem modrého auta, které myjí.
Muž používá elektronickový stroj.
Člověk surfuje na vlně v oceánu.
Voják si prohlíží něco.
Nevěsta a ženich se líbají pod nevěstou.
Dva policisté stojí v pozadí, zatímco mladý muž s červenou šálou zakrývají obličej.
Černo-bílý pes skáče přes strménu na soutěži.
Žena ve svetru čte knihu ve svém domě.
Několik dospívajících se dívá přes zábradlí v tmavé místnosti.
Muž v bílém tričku začíná vylézt skálu.
Dospívající chlapec se protahuje v kuchyni a je vidět část svého bři.
Lidé drží různé druhy bubny nad různými bubny.
Tři Farmáři skládají rýže na rýžovém poli.
Dvě ženy a muž se dívají na knihu.
Tři děti ukazuje nohy stojí u rozklázné stky.
Kuchař pózuje na kameru, zatímco vaří.
Mnoho lidí na ulici protestuje pomocí rostliny v květináči.
Terénní cyklista skáče do kopce s kolem.
Malá dívka běží na břehu pláže.
Bílé kachny leží ve vodě svých křídly.
Dva muži, kteří se baví, zatímco stojí před nákladním autem a za nimi stojí čtyři lidé.
Žena v růžové sukni drží miminko.
Hokejista ve žlutém dresu strážuje gól.
Muž jde kolem velké nápisu, na kterém je napsáno "Soos."
Tři chlapci v zelených tričkách a béžových kalhotách pózují na vrcholu skluzavky.
Muž tancuje se psem mezi nohama.
Bílý pes běží v mělké vodě.
Vostavci pochodují s kapelou.
Skupina dětí si spolu hraje na oplocené zahradě a dospělý se dívá.
Skupina žen spolu hraje na hudební nástroje.
Malá dívka ve fialových kostkovaných šatech leží na zemi a brečí.
Muž s šedými vlasy si holí vousy.
Dva černí psi, černé štěně a bílý pes ve sněhu.
Muž v basketbalovém dresu skáče na střelu.
Žena sedí venku před domem s modrými dveřmi a užívá se do vzduchu.
Děti sedí na muži v plavkách.
Šedobílý pes skáče přes vodu v písku.
Dav se shromáždil kolem vody v dešti.
Několik starších mužů, někteří v tradičních šatech zdravují na rohu ulice.
Mladý pes se dívá na psa ve sněhu.
Fotbalista ve zlatém dresu blokuje míč od protihráče.
Žena v černém triku pletenou fialovou přístou.
Čtyři ženy asijského původu mají na sobě zlatých šatech, zatímco předvádí míč.
Člověk hraje na uniciální nástroj.
Dívka v černém sportovním oblečení s číslem 11111 běží přes trávu.
Dítě přecházející na lyžích s číslem 93.
Starší muž a mladá dívka se začátají práci na ledě.
Fotka natáčí mladého Afričana ve žlutém triku.
Ulice osvětlené most s cyklistou a několika auty.
Muž jede na býkovi v býka.
Chlapec skáče k odpalu tenisový míček s raketou.
Děti se dívají na zeď, zatímco se dva jiní lidé dívají.
Lidé, kteří jdou po neděném kempu s palmami v pozadí.
Malá dívka kope do černého předmětu na karate.
Dva muži se snaží vypravit z vody na chodníku z pneumatiky.
Dva muži tančí breakdance s davem a dívají se.
Profesionální žena v obleku stojí na pódiu a o něčem diskutují.
Žena leží na gauči a směje se.
Terénní podlahy se nechává ottt bílou a jedna žena.
Běder skáče přes plot.
Tři psi si spolu hrají na poli.
Dvě malé děti jsou na písku.
Usmívající se mladý chlapec si hraje v listí mezi kachnami.
Tito čtyři lidé stojí venku s třemi psy.
Zatímco se navštěšníci ocasuje na směrem, zatímco na něj ukazuje výkovce.
Dívka v triku má otevřenou pusu.
Diváci pluje vodou v poušti.
Muž stojí na městské ulici.
Pubenka ptáků letí od jídla v jejich sedě.
Dva muži jedou na farmě a přistává na farměné cestě.
Dva lidé stojí na vrcholu hory.
Mladá dívka si užívá, zatímco dělá anděl.
Tři chlapi se usmívají na kameru a ukazují své basky.
Člověk píše na tabuli v prázdné třídě.
Muž v černém triku sedí u stolu s otevřeným počítačem před ním.
Čtyři lidé odpočívají na travnatém kopci s výhledem na kamennou údolí.
Chlapec s skateboardem skáče do vzduchu podél nějakých zábradlí.
Muž v oranžovém triku hraje tenis.
Pes s červeným obojkem medvědí zuby na psa s modrým obojkem.
Chlapec si užívá venkovní den.
Dělník v oranžovém obleku klečí a dívá se na kus stroje.
Muži v kovbojských kloboucích stojí na rodeu.
Dva psi jsou ve sněhu a jeden má něco v tlamě.
Zaměstnanec si dává pauzu od práce, aby mohli nápoji.
Béžový pes běží za bílým psem a drží žlutou hračku.
Hokejista v bílém dresu s klackem.
Muž v bílém triku s zlatým tričkem si hraje s kruhem.
Černý kůň sstrká hlavu přes plot a snaží se na trávě.
Zádá ven přední části rukami, aby mohli zahrát ruce, zatímco kouří.
Dva muži a dívka se smějí.
Dítě se opírá o výlohu z modro-žlutého plastového plastového plastového plastového, zatímco se dospělý dívají.
Černý pes jde po sněhu pro hořící míč.
Mladá dívka stojí vedle žluté kočku na kuchyňském pultu.
Dvě děti si hrají na hřišti.
Tenista v zeleném pruhovaném triku drží ruku do pusy.
Chlapec v červeném obleku si hraje ve vodě.
Dítě v červené bundě a čepici drží velký kus sněhu.
Dva policisté v oranžových bundách stojí před bílým stanem s diváky.
Dva lidé stojí vedle stromu na zemi.
Dva muži sedí u kamenné budovy.
Bruneta s brýlemi drží blonďaté dítě v červeném svetru a žlutých botách.
Černobílý pes si hraje s bílým míčem.
Dva lidé se líbají na chodníku před obloukem, zatímco lidé jdou kolem.
Žena hraje volejbal.
Dva velcí psi bojují na hliněném poli.
Hnědý pes skáče přes překážku.
Muž v pruhovaném triku kouří cigaretu na ulici.
Malá dívka drží malého chlapce na klíně.
Muž se snaží velmi skontrolu na krásném býku.
Děti se perou, aby se zahrádit bouk.
Cyklista se naklání na horském kole a ohýbá se na hliněné dráze.
Dva lidé a vodítkách jsou na domácím domě.
Mladý chlapec se učí, jak jede na kole se svým otcem.
Kluk v červeném triku a černých šortkách zametá cestu.
Africká rodina stojí před nějakými prušky.
Muž hraje na nástroj vedle stromu.
Dvě ženy se drží za ruce přes stůl a usmívají se na kameru.
Muž venčí hnědého psa na trávě.
Baseballový hráč v černém triku právě roztrtrhat hráč v bílém triku.
Žena drží velkou kontroluje děti Fererer Baaaaa.
Dva psi, jeden s tenisovým míčkem v puse, běží vysokou trávou.
Dva dospělí a dvě děti sedí na lavičce v parku.
Žena v travnatém poli vyfukuje nakuku.
Muž prodává brambory ke skupině lidí.
Skupina lidí na ulici se shromáždila, aby mohli poslouchají na akordeon.
Muž sedí na lavičce a prohlíží si iPod.
Starý muž v ochranném oblečení čte noviny.
Starší muž v brýlích připravuje maso.
Muž předvádí trik na kole, zatímco stojí na šlape na motorce.
Muž na pláži dělá písečnou sochu.
Několik lidí v parku jí u piknikového stolu.
Dvě ženy jsou zapřený k stromu v nějaké stavební práci.
Kovboj v rodeu se snaží 88.
Pes skáče skrz překážku.
Žena s dlouhými černými vlasy v růžovém triku s jmenovkou leží na chladině.
Muž opravuje malou holčičku na kole.
Dvě dívky v kuských sukních tancují před nějakými hudebními muzikanty na ulici.
Žlutý pes nese klacek u vody.
Dívka ve svetru blokuje slunce.
Horolezec si dává na místě.
Tři ženy v jasně zbarveném oblečení a čelenkách drží za postrým krometem.
Hnědý pes hrabe hlínu.
Mladý chlapec v bílé pruhované košili a čelence drží tenisovou raketu.
Dva psi běží od kamery v lese.
Dívka si hraje ve fontáně plné látky.
Tři mladí zápasníci stojí a poslouchají toho, aby ho poslouchají.
Dva turisté zkoumají kládu vedle lesa.
Tři hráči, kteří mají tým, aby mohli na zem.
Dva chlapci přechází ulici ve městě, zatímco kope do červeného fotbalového míče.
Muž drží další zády.
Bílý pes na hoře se otáčí, aby se podívali na něco ze směl, oblohy v pozadí.
Chlapec jede na skateboardu na skateboardu na rampě.
Dlouhovlasý muž hraje na piano.
Tři atleti drží kytici stojí na pódiu.
Dvě plešťáci v červených šatech.
Mladý chlapec visí na stojanu s oblečením.
Malá dívka v růžovém drží tyč.
Muž v zeleném skáče na své motorce.
Žena si hraje s dvěma malými chlapci v parku.
Čtyři lidé hrají fotbal na pláži.
Dvě dospívající dívky se objímají, jedna má na sobě helmu, s cyklisty v pozadí.
Dva středně velcí psi běží sněhem.
Žena stojí na zeleném poli a drží bílého psa a ukazuje na hnědého psa.
Pohled plný obrazů na venkovním trhu.
Dva lidé sedí u stolu u zdi a dělají obličeje.
Dva chlapi s piercingy s piercingy se usmívají.
Dítě leží na béžovém koberci a směje se.
Muž a žena s dredy sedí a všichni do vzduchu.
Dvě ženy zápasí v dětském bazénu.
Muž v bílém triku jde s nápojem v ruce.
Dva podobní lidé jsou u jezera namalené oblohy.
Několik lidí sedí u stolu ve formálním oblečení.
Dvě dívky oblečené v modrém a jedna v růžové spolu závodí na kolečkových bruslích.
Čtyři lidé sedí na hromadě kamenů.
Skupina lidí dělá triky na motorce.
Cyklisté v závodním vybavení jede lesem.
Muž v zeleném triku jde po pláži a nese své tenisky.
Několik mužů stojí okolo automobilového auta.
Dva muži pracují pod kapotou bílého závodního auta.
Děti skáčou z kraje bazénu.
Muž na okraji zdi se chystá zpadnout.
Žena v pruhovaném oblečení na kole.
Dívka v černém pózuje na kameru.
Muž v šortkách stojí u vody.
Čtyři černí muži sedí na schodech v kostele.
Ospravářka obsluhuje hromady stů.
Gymnasta v červenobílém je uprostřed baru.
Starší dáma v zeleném svetru sbírá zeleninu.
Dva muži vyrábí věci v dílně s nástroji.
Učitelka v bílém a malá dívka ve žlutých šatech si hrají s blokem.
Malé dítě spí v posteli s otevřenou knihou na hrudi.
Žena jí v trávě na krásném dni.
Muž jde po dlážděné ulici vedle budovy s červenými stojany.
Žena v klobouku dělá chléb.
Osamělý žena používá velkou strázku a lítku, aby si vytátek na poli.
Muž v karate předvádí před dvěma státky.
Muž ve formálním oblečení hraje na piano na chodníku ve městě.
Starší muž sedí na židli a jí svači.
Žena v bílém triku pracuje za pultem v kavárně.
Muž s pracovním oblečení stojí na zádech nákladního auta.
Dvě děti se dívají na koně skrz malou plot.
okna s nějakým druhem namalovaným namalovanými.
Žena v jasně růžovém se dívá na ženu ve fialovém kabátě, zatímco stojí venku před obchodem Samor.
Kovboj zabalená o ruku s hlou kapelou.
Muž ve žlutém triku a muž v tmavě modrém triku mluví.
Tři asijské děti sedí na gauči s páskem v pozadí.
Dívka v červeném triku skáče do vzduchu aby trefit tenisový míček.
Muž pózuje se zeleným jeřábem.
Muž svírá láhev s dalším člověkem, zatímco se usmívá v restauraci.
Muž nakládá krabici s mnoha pekazky.
Muž v černé bundě hraje na kytaru ve veřejném prostranství.
Kapela vystupuje v průvodu.
Muž stojí na kamenném útesu a dívá se na masa vody.
Policisté sledují ženu z autobusu.
Dva policisté středního věku sledují parkoviště, v noci.
Dva muži v modrých tričkách se dívají na fotbalový zápas.
Skupina mužů v modrých uniformách stojí spolu.
Mladá žena cvičí jógu na pláži.
Velký dav lidí stojí v parku a několik lidí hraje na hudební nástroje.
Muž s balónovou čepicí vytváří balóny.
Muž griluje maso na venkovním grilu.
Dva muži prodávají ovoce na trhu.
Hnědovlasá žena v bílých bikinách lije nápoj do pánů.
Kluk ve slunečních brýlích běží za pouti.
rukavicích drží něco, co vypadá, co vypadá, že je přemalován proti kládě.
Muž v kostkované košili ukazuje z černé rukavice.
Dva muži v bílých židlích sedí ve dveřích.
Mladá dívka v červených šatech má na sobě černou kovbojský klobouk.
Muž v červeno-bílém fotbalovém dresu stojí na poli ve frontě s žlutými fotbalovým míčem.
Lidé skáčou přes horu na provazech.
Lidé se dívají na cyklisty v maratonu.
Lidé na laptopech před velkým oknem.
Žokej na rušném prostranství pracuje, zatímco se světly leští.
Muž v rukavicích nese kukuřici na poli.
Na obrázku je focena zrcadla v kavárně.
Žena drží balónky na akci.
Žena sedí v kleci v prostoru s kočkami a dvěma králíky.
Žena sedí u cihlové zdi uvnitř budovy.
Tři mladé ženy spolu sedí na červených židlích.
Žena v modrém triku jde ve vesnici.
Šest dětí, které sedí na schodu s nezdovkami a pastelkami.
Béžový pes si hraje s klackem na pobřeží.
Dva psi si hrají kouše třetího psa, který má jazyk.
Dítě na motorce se usmívá.
6 lidí jsou shromážděni kolem jídla ve velkém večeři.
Santní Santa Clause je fotografována na postré události.
Vojáci pochodují v dešti New Yorku.
Žena v modré helmě a červených kalhotách jede na motorce.
Několik mužů má na sobě bojové umění, zatímco předvádí nějaký pohyby.
Mladá žena a muž oblečená v kostýmech si utírá klacky s skupinou lidí v pozadí.
Muž v uniformě jde po ulici s dvěma auty a stromy.
Mladá žena leze po skalní stěně.
Starší muž ve světle modrém kabátě pracuje na kraji silnice.
Lidé se dívají přes několik barevných kusů na stole.
Muž zpívá a hraje na kytaru do mikrofonu.
Dva muži sedí v restauraci.
Dvě ženy v šortkách běží po pláži podél vody.
Stavební dělníci mají diskuzi u trati.
Zatímco je výhled na výletu, který je muž v černé zástěře, který je uprostřed černé zástěře a kšiltovce, stojí uprostřed baseballového plakátu.
Skupina lidí si hraje na předmět.
Malá dívka v modrém oblečení leze po kovové zábradlí na ulici.
Skupina mužů sedí a mluví za nějakým zeleným ovocem.
Muž ve žlutém oblečení stojí za mikrofonem pod stanem.
Hnědý pes s fialovým frisbee v tlamě.
Vypadá to, že muž trénuje bojové umění, zatímco se dívá na vodu.
Žena s nápojem a žena s telefonem.
Dítě v červené bundě mává ruku ve vzduchu, zatímco leží ve sněhu vedle červené plastového plastového bobech.
Žena sedí vedle své kabelky a dívá se na psy v parku.
Tři muži stojí na pódiu, jeden má na sobě klauna a drží kytaru.
Žena nakládá rostliny v kmenové vesnici.
Žena v červených šatech tancuje s mužem v obleku.
Dva malí psi následuje velkého psa s tenisovým míčkem.
Muž s hustými vousy a baseballovou čepicí sedí na lavičce v parku.
Afroameričan stojí na zahradě s lesem v pozadí.
Mladá dívka se snaží prodat kozu.
Asijský lidé sedí v restauraci s žlutými židlemi.
Miminko jí sušenky, zatímco sedí na židli a má na sobě štěnku.
Šedovlasý muž v černých rukavicích se pohybuje po trávníku.
Žena čte knihu, zatímco sedí na řadách červených židlích.
Dítě oblečená jako žena jede na ramenou.
Rodina jde po chodníku skrz sníh, zatímco muž sedí na straně s papírem.
kočka sedí na vrchu obchodu s nápisem.
Muž v růžovém triku a černé bundě se sluchátky.
Mladý muž se chystá hodit fotbalový míč.
Muž a dívka jdou po cestě.
Žena s růžovými vlasy je na chodníku a drží růžový psy.
Muž v obleku drží nápoj a jde po chodníku vedle autobusu.
Muž skáče s kamenem v pozadí.
Člověk v červené bundě s černými kalhotami drží duhou.
Žena si dává ruku na člověka, který sedí na vozíku.
Muž v bílé zástěře něco vaří s vajíčky venku na pána v béžové bundě.
Žena tlačí mobil a hlavy čeká na přechodu.
Skupina mužů jde po městské ulici.
Žena vedle zajímačky se spoustou sloupů.
Skupina lidí v černém stojí na molu poblíž dlouhé budovy.
Muž nese několik krašek piva.
Muž středního věku sedí a hraje na akordeon.
Dívka s zelenou rukou, kravatou, kravatami a uchy stojí venku.
Mladá dívka v růžovém triku běží na pláži k oceánu.
Skateboardista v černém triku a džínách bruslí ve městě.
Muž v bundě fotí velkou budovu.
Lidé na kraji fotbalového zápasu.
Na této fotce je rodina, která se čtyřmi z nichžují přes rušnou ulici ve městě.
Skupina lidí jde po ulici ve slunci.
Pouliční umělec se zastavilem s několika lidmi, kteří mají na sobě hnědé bundy a sluneční brýle, má na tváři.
Nějací rostlinami zírají blízko okna.
Tento hráč v modré helmě právě odpálil míček během baseballového týmu.
Žena ve zlatém kabátě pláče, aby chytil metro.
Nějací lidé sedí na lavičkách pod řady stromů před budovou.
Muž v obleku sedí na autobusové zastávce.
Afroameričan obklopený prázdnými bílými kyblíky a tmavou bednou pláškou na kroděné ruce.
Mladá brunetka jí a pije něco.
Muž v obleku a čepici hraje na ulici na kytaru.
Žena v červené vestě pracuje na počítači.
Lidé stojí kolem sebe a dělají kouř do obličeje.
Muž, který používá zrcadla, aby si svou kravatou.
Velká jednotlivci, kteří si hrají u několika jednotlivců, zatímco je šťastný dav sedí a poslouchá.
Dva mladí muži jedou na velmi malém koni taženém vozíku plné brambor.
Žena v šatech jde po ulici kolem staveniště.
Rozhodčí v večerním obchodu si kupuje zákazníku, zatímco kupuje zákavici.
Muž se slunečními brýlemi operuje štěrku na zemi.
Miminko si hraje s hračkami a dívá se na černo-bílou kočku.
Dospívající dívka nese kytaru v lese.
Muž s batohem jde po ulici.
Dva muži se baví před obchodem s alkoholem.
Žena v černém drží něco v puse.
Skupina lidí sedí venku okolo malého stolu.
Muž jede na kole po rampě.
Žena v černém tílku a s náhrdelníkem hledí do dálky poblíž západu slunce.
Tři mladé dívky jdou spolu po chodníku.
Žena s dlouhými vlasy je na matračním obřadu.
Muž skateboarduje na silnici, zatímco jiný muž se dívá z chodníku.
Muž v černé kožené bundě stojí před cedulí.
Muž a žena spolu zpívají píseň.
Mladá dívka s kudrnatými vlasy a v bílém topu leží v trávě a drží květinu.
Mladá žena v zelených dresech se protahuje cvičkou.
Žena se soustředí na dopravu ve veřejném žlutém pásu.
Muž dřepí, zatímco dělá holubovi v pozadí.
Skupina mužů stojí na poli černých míčů.
Rušný den na místním hřišti.
Muž s cigaretou v puse opravuje talíř jídla.
Dvě skupiny plavců se brodí.
Lidé sedí na lavičce na náměstí ve městě, včetně spoustou věc a stojí u lampy.
Pracovníci jsou obklopení díru s kbelíkem.
Muž bez trička v černých šortkách stojí na kamenitém břehu vody.
Člověk je na vrchu a dívá se, zatímco je na tohoda.
Lidé, kteří si hrají, jeden muž v modrém triku a druhá v modrém triku, jsou na hlavě, jsou vidět do objektivu.
Lidé stojí před sochou obklopen vodou.
Žena se dívá na muže s roztrnutýma rukama.
Muž středního věku v bílých šortkách a žabkách se dívá nahoru po silnici.
Dva muži oblečení v tmavě oranžových kalhotách a sandálech stojí blízko velké sochy.
Dva lidé se baví v jejich lodi.
Muž a žena stojí na ulici ve městě.
Hasiči se vynořují z stanice metra.
Čtyři muži, tři z nich mají na sobě soušky, sedí na modrozelené podložce.
Velká skupina lidí sedí venku na lavičkách.
Muž v červeném triku jde kolem tyrkysové malby a bílého ledačního jídla s číslem 208.
Stovci předvádí nějaký druh operovi.
Starší muž s cigaretou v puse a kšiltovce kontroluje svůj foťák.
Malý orchestr hraje s otevřeným krabem na housle před výlohou.
Muž v červeném obleku tancuje s ženou.
Dva lidé se dívají v noci na světly ve městě.
Dva závodníci v ochranném vybavení, jeden ve vzduchu a druhý na motorce se dívají dolů.
Několik mužů v oranžovém se shromažďuje na venkovní akci.
Dvě mladé dívky běží po chodníku před cihlovou budovou s prapory.
Dva jedinci lezou po strmé hoře.
Dítě leží na zemi vedle kočárku.
Pes táhne muže a žena.
Mnoho lidí na trhu se dívá na různé věci.
Dva mladí muži hrají na elektrické kytary na pódiu.
Potetovaný muž lije pivo z láhve mladého muže do pusy.
Dva lidé stojí venku vedle nafukovacího hračky a popelnice.
Čtyři lidé jedou na kole po cestě poblíž rušné ulice.
Žena v růžovém triku a brýlích.
Žena v červeném triku zvedá ruku, aby mohla projet dav pod ním.
Chlapec v bílých šortkách skáče do jezera nebo řeky.
Malá dívka se dívá dalekohledem na pláž.
Několik stavebních dělníků v oranžových vestách kope do země.
Člověk v kapuci stojí před budovou.
Stavební dělníci sbírají proti bankomatu Perer.
Muž jede na koni s dalšími muži, kteří dělají stejným za ním.
Afroameričan jde po ulici.
Dva důstři pózují pro fotku.
Žena s neonovými sluchátky píše do notebooku.
Žena v zeleném triku mluví do telefonu.
Malé africké dítě nese mladší dítě na zádech.
Skupina lidí sedí na židlích.
Člověk v šátku stojí na ulici před věcí.
Orientální člověk v červeném triku a černých kalhotách se krčí přes kabelku na betonovém betonu.
Černý pes a hnědý pes s míčem.
Muž s černou vestou drží model letadla.
Muž na poli s letadlem v pohledu.
Muž v obleku a kravatě a žena s zavazadlem v Londýně čeká na kolotoči.
Dítě jde po chodníku s několika americkými vlajkami.
Černý pes běží po zelené trávě s hračkou v puse.
Orientální cyklista jede a čeká na jeho otáčí se na výště.
Pes se otáčí na trávě, aby se dostalo míč.
Skupina studentů sedí a poslouchá mluví.
Lidé jedou na skútrech po ulici v noci.
Velký šedý muž a muž na kole.
Muž v oranžovém triku a blonďatý chlapec jedou s ostatními lidmi na "Ponfon."
Mladý muž a žena u velké kovové sochy.
loď v červeno-modrém přístavu na molu.
Muž v černé čepici fotí na rušné ulici.
Muž stojí na rušné ulici a dívá se na hlavu.
Žena v černých šatech má malou dívku ve žlutých šatech na ramenou.
Skupina lidí na ulici připravuje hudební nástroje.
Muž spadlý motorkář je obklopena jiným mužem.
Tři lidé jdou po horské stezce, zatímco jedna žena se dívá do objektivu.
Několik asiatů v černém oblečení v nějakém typu stanice.
Žena v červené sukni jde po ulici s graffiti v pozadí.
Gymnastka v modrorůžovém oblečení předvádí stuhy.
Lidé ve studené fontáně, žena v bílých šatech sedí na kraji a dívá se.
Muž sedí na lavičce pod velkým stromem.
Tři muži v červenobílých pruhovaných košilích, bílých kalhotách a černých kloboucích drží vlajky.
Lidé obdivují práci umění.
Asi asijského nákupním centru s papíry a obchody.
Tito lidé lezou po schodech na horu.
Malé dítě v modrém oblečení se dívá z nějakých stromů v dálce.
Lidé se dívají na děti v obchodě s hračkami.
Muž s kloboukem hraje na buben na ulici.
Chlapec stojí se třemi dívky.
Usmívající se muž s batohem drží před klukem v brýlích.
Čtyři muži se dívají dolů přes zelený most.
Žena odpočívá na ručníku před lidmi, kteří si užívají modrou vodu.
Dospělý ovčák jde za běžícím ovčákem.
Pohled na obchodů a čerguje jídlo, které je zachycena ve městě.
Afroameričan protestuje proti neděnémuxu.
Policista je na kole a čeká na osvětlený.
Skupina mužů sedí okolo stolu.
Skupina třídních lidí včetně staršího muže, kteří mají nápoje v parku.
Žena mluví s kamarádem, zatímco venčí venku za slunečného dne.
Mladý muž v šedém triku a bílé čelence.
Dva lidé jedou na motorce s mnoha dalšími jezdci.
Dvě ženy ve vojenské uniformě stojí s dalšími vojáky ve forma.
Tři dívky se usmívají na fotku.
Žena s černými brýlemi a žlutým svetrem se dívá na konfety, zatímco sedí na béžové lavičce.
Zrzavá mladý muž pije z fontány ve tvaru ženu.
Dva muži a žena jdou po městské ulici.
Muž středního věku s červenými vlasy a brýlemi drží miminko.
Mladý chlapec v červeném klobouku jede na koni.
Dva chlapci si hrají na chodníku.
Malá dívka v černých plavkách drží lopatu na pláži.
Starý muž v klobouku a kabátu sedí na gauči.
Dva chlapci se dívají na oblohu a mávají rukama a jsou oblečeni dobravky.
Mladý pár sedí na chodníku a relaxuje spolu.
Mladík v košili a kravatě se krčí a dává znak míru.
Tři lidé sedí u stolu před Galiis.
Chlapec v černém triku a červené zástěře visí vzhůru nohama a ostatní lidé se dívají.
Muž jde kolem barevné nástěnné malby.
Mladý muž jde s dalším mladým mužem dozadu na tři dívky právě vykal kolem.
Muž dělá palmový strom v terase v kavárně.
Pět lidí jde nahoru po schodech u ženy v růžovém triku a hnědé sukni.
Skupina lidí na venkovním trhu.
Dva chlapci jedí své obědy ve venkovním prostoru obklopeném mnoha lidmi.
Žena v džínové bundě jde po chodníku.
Muž řídí čtyři vozídlo s čtyřmi pasažéry jede na straně před mužem.
Muž v tyrkysovém triku čte noviny.
Chlapec v kočárku má na sobě zelené tričko a drží knihu.
Dvě děti sedí vedle sebe, zatímco jí zmrče.
Lidé jedou na kolech po ulici, všichni v helmách.
Dav lidí jede na kolech.
Muž sedící na nástupišti s kolem je taženo úzkým pevem.
Muž na kole šlape po cestě.
Barevně oblečený mladý muž, který je vidět hlavy, sedí a kouří cigaretu.
Dva muži v oblecích pod deštníkem a před graffiti.
Starý muž, který má na sobě špinavou košili, jede na kole po ulici.
Muž se snaží chytit mladého býka.
Kovboj se pokouší chytit do lasku, zatímco jede na koni.
Dva cyklisté v helmách jedou kolem nějakých prázdných pole.
Muž se opírá o a táhne něco z pytle.
Muž v motorovém vozíku jede v parku, aby se utírá.
Člověk s tetováním se dívá na fotku na digitální foťák nebo mobil.
Muž v černém triku a džínách stojí na chodníku a dívá se na kameru.
Chlapec a dívka stojí spolu na chodníku a dívají se na předmět.
Několik lidí v modrém křičí a jeden v sukni a černé blůze.
Žena a pes sedí na bílé lavičce blízko pláže.
Dvě ženy jdou po hlíně před velkou budovou.
Skupina mužů a dítě v bílých tričkách stojí na silnici.
Žena oblečená v černém a nese černou tašku na chodníku.
Skupina mužů sedí okolo stolu a povídají si.
Na straně nástěnné malby budovy.
Asiat v rukavicích pracuje u stánku s jídlem.
Žena sedí u stolu a pracuje na svém počítači.
Člověk se dívá na počítači na stůl s telefonem a krabici.
Muž sedí na židli a sleduje lidi, kteří se procházejí.
Dva lidé v kloboucích stojí na poli a otátát.
Nějací skáčou přes vysoko v Basi.
Muž v botách a kovbojském klobouku sedí na koni, který skáče, zatímco diváci sedí v pozadí.
Dvě mladé dívky sedí na ulici a jedí kukuřici.
Tři děti v fotbalových uniformách dvou různých týmů hrají fotbal na fotbalovém hřišti, zatímco další hráči stojí v pozadí.
Malé dítě s špinavým obličejem je držena starou ženou.
Muž s brýlemi se dívá na kameru, zatímco jiný muž v modrém tričku se na něco dívá.
Dva lidé sedí pod stromem sbírá zelenou zeleninu.
Mladý chlapec v modré čepici se dívá skrz dalekohled, zatímco ho jiný chlapec pozoruje.
Tři muži vaří v malém kuchyni.
Mladá dívka v šedé kombinéze lyžuje na zasněžené hoře.
Skupina vesnici se shromáždila v tanci.
Muž a žena třídí v prádelně s pruxxy.
Mladá dívka sedí na dřevěné židli.
Dva pracovníci sváří plot u rušné ulice.
Dlouhovlasý mladý muž skateboarduje na zábradlí v mrase.
Na venkovním trhu na venkovním trhu dva muži odhazuje sníh a z cesty.
Muž v bílém triku hraje na bílou kytaru.
Mladá dívka ukazuje své kamarádky, jak používat kasy.
Malý chlapec skáče z mola do jezera.
Žena s zelenou maskou na krajinu a vypadá šťastně.
Muž v oranžové bundě a modré čepici leze po zasněžené hoře.
Malá dívka s blonďatými vlasy si hraje a cáká v bahně.
Dítě jede na kole po uličce s graffiti.
Gymnasta je posledována na akci.
Lidé jdou po ulici s prodavačkou.
Muž v tradičních šatech, který je v tradičním oblečení, stojí vedle svého musa, který je nemývá látku.
Dvě děti si hrají na kole.
Dva muži na opačných týmů hrají fotbal na hřišti.
Muž skáče a pózuje pro fotografy ležící na zemi.
Dívka pije vodu z fontány.
Krodičný krůtánek lije vodu během svého pru.
Muž v laboratorním plášti se dívá skrz mikroskop.
Blonďatá dívka spí na hnědém gauči.
Muž zametá chodník před cihlovou budovou během dne.
Tři muži vaří v kuchyni.
Muž na lešení před domem se usmívá a pózuje pro fotografa.
Dvě dívky v šortkách drží za ruce v bazénu.
Čtyři asijské děti sedí na lavičce a vlně a usmívají se do objektivu.
Děti jedou na kolech v něčem, co vypadá, že je nedovit.
Mladý chlapec, který má na sobě kuchařskou čepici a zástěře, krájí sklady v kuchyni.
Toto je klauna ve škole.
Usmívající se loďka drží kolo svého dřevěné lodi.
Žlutý býk pracuje, aby mohli kryt hlínu.
Žena v červeném triku jede na bílém koni, který je podél stromů.
Žena sedí na velmi velké skále a usmívá se na kameru s stromy v pozadí.
Tři muži v pestrobarevných kostýmech si dávají ulici s parukami a hrnky.
Dívka si hraje v malém bazénu.
Dvě děti, chlapec ve žlutém triku a dívka v modro-bílých pruhovaných pruhovaných triko, se houpe.
Muž hází rybářskou síť do pažu.
Muž v šedém triku, modrých džínách a neonově zelené bezpečnostní vestě stojí na železniční trati s bílým autem v pozadí.
Dva stavební dělníci leží u kovové tyče.
Je tam kapela na pódiu s členy kapely, která má na sobě modré triko.
Horolezec se svým trikem zpívá do mikrofonu, zatímco hraje na bubny.
Muž si dává své věci z nákupního vozíku, připravené zřejmě.
Muž s holí jde po schodech.
Žena v bílém triku pracuje na policitském stroji.
Dívka v masce jede na ramenou po zalidněném chodníku.
Dvě dívky, jedna starší a mladší v černém a druhá v bílém, předvádějí míč před skrou z ozdobné balónky z ozdobné balónky.
Několik žen předvádí tanec před budovou.
Plešatý muž jde po městském chodníku a telefonuje.
Žena, která si hraje s prstem, zatímco malé dítě v kostýmu prochází kolem.
Skupina lidí sleduje mladého muže, kteří hrají na bubny, používá špínskou nástroje.
Dívka bez trika a bez trika jede na kolečkových bruslích.
Malé bílé auto je na vlakové trati a možná možná možná možná dosta, když je za ním.
Dva skále zpívají a hrají na tmavém pódiu.
Dívka v baseballové čepici, bílém tričku a modrých šortkách stojí na kameni v kamenném lese.
Dva muži hrají na kytaru před velkým publikem.
Mnoho lidí tancuje se svými cedulemi před velkým domem.
Žena a pes prodává své zboží na starých schodech venku.
Žena a dva muži, kteří jsou oblečeni, mají diskuzi.
Skupina mužů v červeno černých bundách čeká na motorkách.
Muž oblečený v bílém dresu s číslem 3 hrají fotbal.
Muž prodává svači na sportovní události.
Dva muži z zeleného týmu sráží druhého týmu z černého týmu pro míči.
Děti závodí, aby se podívali fotbalový míč.
Člověk v modrém je na něčem, který hází míč na bowlingové dráze.
Několik fotbalistů na hřišti v akci.
Mladý muž sedí na skateboardu a drží mobil a pózuje na eskalátoru.
Žena v modrém běží maraton.
Tato kapela se připravuje na vystoupení před publikem v kostele.
Hráč s číslem 88 8 "eeeee" se pokouší zahrát protihráče.
Dva muži předvádějící hráči na ledu zametá cestu před svým kamenem, zatímco se dav dívá.
Muži hrají fotbal na bahnitém hřišti.
Basketbalista v bílém dřepí, zatímco hráč v červeném pohybuje k němu.
Lidé jdou skrz rostu ve starém městě.
Dvě závodní auta, jedna v červené a modré, jedou po boku po závodní dráze, zatímco se několik diváků dívají.
Fotbalista v bílém dresu drží fotbalový míč.
Velmi mladý chlapec zírá do malého předmětu.
Žena a dítě jdou po ulici.
Hokejový zápas probíhá s mnoha lidmi, kteří se dívají.
Tři ženy skáčou na míčích v trávě.
Afroameričan v modrých šortkách, černém triku a bílých teniskách hraje tenis.
Muž a žena v bílých tričkách se objímají.
Muž mluví s rodinou drží nějaké zařízení a dívá se na ni.
Malý chlapec v zeleném triku leží obličejem po bílé posteli.
Trtá cyklistů se zastavili, zatímco se za západu slunce v pozadí.
Žena táhne oblohu v zasněžené oblasti.
Čtyři dívky a žena se učí jak jak nějaké věci.
Muž v černo-bílých šortkách se snaží zastřet koně.
Muž vytírá obrázek, která je žena v modrém triku, která je za ním.
Žena s červenými vlasy je hlublubokomodré vodou.
Dva mladí chlapci pózují s štěněmi pro fotku.
Čtyři děti trénují karate, zatímco se dva dospělí dívají.
Muž odpočívá na červeném gauči v nábytku.
Skupina lidí mluví u stolů.
Dva koně závodí, jeden v modré kostkované a červené a druhý v oranžové, závodí proti rozmazaným pozadí.
Červené auto je před dvěma auty v pozadí.
Velký býk, muž v aréně, s rohem v rodeu, zatímco drží klauna.
Muž bez trika jde k žlutém kajaku.
Chlapec na pistole a střílí střílí střílí.
Dva týmy chlapců hrají fotbal v písku.
Dítě v modrém a dítě v bílém stojí na krátkých betonové zdi u potoka.
Žena maluje květinový vzor na hliněném hrnce.
Lidé jdou po rušné ulici v cizí zemi.
Osamělý nadhazovač slahuje pro chungový míč nadhazuje.
Dva muži, jeden v černé a bílé a druhý v červené, hrají volejbal na pláži.
Muž stojí na lodi a drží nějaké sítě.
Surfař, který spadl z jeho surfu v oceánu, zatímco se snaží se pokouší st vlnu.
Tanečnice se připravuje na basu v laboratoři.
Fotbalisté skáčou do vzduchu aby trefil míč s jejich hlavami.
Dva chlapci hrají fotbal proti sobě.
Starší člověk přechází ulici s deštníkem v rukou.
Skupina běžců běží k dvěma policitskými zbraněmi.
Skateboardista jede na betonové zdi blízko padáky, zatímco se pokouší trik.
Lidé hrají hru v bazénu.
Muž se líbá, aby udržet muže.
Muž s cedulemi vyfotává mladému chlapci knihu.
Mladý muž v modrém triku brousí zábradlí na skateboardu ve městě.
Asijský muž sedí na trati s bednou bedny.
Osamělý muž oblečený v plném vojenské uniformě mává své klobouky s lidmi, kteří sedí na zádech a dívají se na vodu.
Dvě auta jedou na závodní dráze.
Muž v černo-bílém dresu drží žlutou tyč a připravuje se na sestavit.
Dva lidé leží a líbají se na travnatém trávníku.
Velmi malé dítě v džínové kšiltovce jí zelené jablko.
Fotbalisté běží k míči.
Muž v černé bundě a kostkovaném klobouku a pruhovaných kalhotách hraje na elektrickou kytaru na pódiu s ostatními zpěvákem v pozadí.
Muž skáče přes překážku od býka.
Žena v modrém triku a bílých šortkách hraje tenis.
Muž hraje na koncertě na koncertě.
Muž nese velkou kovovou nosku na rameni na rameni.
Žena s kamerou hází frisbee pro svého hnědého psa.
Zde je ven z mužů a žena, kteří se dívají, aby si na velký červený předmět.
Dvě dívky svírá ruce ve fontáně, zatímco lidé prochází kolem.
Mokrý, usmívající se dítě bez trika pózuje se zvednutými rukama.
Dva muži, jeden v bílém a druhý v modrém, zápasí.
Žena v červených bikinách skáče do vzduchu a hraje volejbal na pláži.
Oranžová pruhovaném kouše blonďatá dívka na nose.
Žena ve žluté zástěře se fotí z velkého hrnce.
Dvě děti přechází kamenný most.
Dvě africké ženy jedou na mopedu na městské ulici, které vypadá jako v dobře osvětleném městě.
Dva chlapci před sodem.
Motorkář v černém jede po prašné cestě v horském kole.
Žena s tetováním fotí obraz, na kterém jsou jeho trofon.
Žena v černém oblečení a bílé helmě jede na kole s rozmazanými stromy v pozadí.
Tým cyklistů se ohýbá, zatímco diváci fandí a fotí.
Čtyři fotbalisté v černém sráží protihráče, zatímco je v dešti.
Běžec se štěňuje na dvorku, zatímco se brousí pomocí dvou srádek.
Basketbalista v bílém dresu s číslem 558 na svůj brání hráče v černém dresu s číslem 11.
Muž mluví venku na telefonu.
Hráč baseballu během hry se dívá na protihráče.
Cyklista se otáčí v lese během podzim.
Tři basketbalisté pro míč a jeden v červeném dresu se snaží zahrát míč od chlapa v bílém dresu.
Chlapec chytá nohu, zatímco skáče do vzduchu.
Dvě děti v pruhovaných svetrech a černých kalhotách jsou venku a hrají venku poblíž hrajících.
Muž ve slunečních brýlích jede na koloběžce.
Malý chlapec v baseballovém dresu drží pásku za hlavou baseballový míček před ním.
Šest mužů sedí na poli sklenými dřevěnými bedny.
Hnědý pes sbírá rty z kamenného povrchu.
Tento muž ve žlutém drží plamenu hnědého koně.
Muž v bílém triku a zástěře krájí ptáka.
Žena používá venku před kuchařkou.
Maratí běžci závodí na městské ulici s dalšími lidmi stojícími okolo.
Asiatka ve slunečním klobouku jede na kole.
Nějaké děti si hrají venku v hlíně, kde jsou dva stromy.
Starší muž hraje videohruhru.
Dívka na břehu pláže s horou v dálce.
